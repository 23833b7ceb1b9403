import { describe, expect, it } from '@jest/globals';
import { splitContextImages } from '../engines/media/context-images.js';
import { quoted, validationFailure } from '../engines/media/media-error.js';
import { imageMimeType, mediaKind } from './media-kind.js';
import { selectMedia } from '../engines/media/media-selection.js';

describe('mediaKind', () => {
  it.each([
    ['a.JPG', 'image'],
    ['a.b.tiff', 'image'],
    ['cloud.pcd', 'image'],
    ['a.zip', 'zip'],
    ['a.tar', 'archive'],
    ['a.tar.gz', 'archive'],
    ['a.pdf', 'pdf'],
    ['a.MP4', 'video'],
    ['manifest.jsonl', 'manifest'],
    ['folder.zip/', 'directory'],
    ['a.svg', 'unknown'],
    ['a.txt', 'unknown'],
    ['jpg', 'unknown'],
    ['.png', 'unknown'],
    ['a.constructor', 'unknown'],
  ])('%s is %s', (name, kind) => expect(mediaKind(name)).toBe(kind));

  it('knows the types under which originals are sent', () => {
    expect(imageMimeType('a/b.WEBP')).toBe('image/x-webp');
    expect(imageMimeType('b.tif')).toBe('image/tiff');
    expect(imageMimeType('b.toString')).toBe('application/octet-stream');
    expect(['a.pcd', 'b.BIN'].map(imageMimeType)).toEqual(Array(2).fill('image/x.point-cloud-data'));
  });
});

describe('selectMedia', () => {
  it('keeps the order of images and directories, and leaves out what it does not know', () => {
    expect(selectMedia(['b.png', 'note.txt', 'dir/', 'a.jpg', 'manifest.jsonl'])).toEqual({
      kind: 'image',
      files: ['b.png', 'dir/', 'a.jpg'],
      manifest: 'manifest.jsonl',
    });
  });

  it.each([[[]], [['a.txt', 'b.svg']], [['manifest.jsonl']]])('%j is no media', (names) => {
    expect(() => selectMedia(names)).toThrow('ValueError: No media data found');
  });

  it('reports the kinds found when they are mixed', () => {
    expect(() => selectMedia(['a.png', 'a.zip'])).toThrow(
      'ValueError: Only one video, archive, pdf, zip or many image, directory can be used simultaneously, ' +
        'but 1 image(s), 0 video(s), 0 archive(s), 0 directory(s), 0 pdf(s), 1 zip(s) found.',
    );
  });

  it.each([[['a.zip', 'b.zip']], [['a.mp4', 'dir/']], [['a.pdf', 'a.tar']]])('%j cannot be combined', (names) => {
    expect(() => selectMedia(names)).toThrow(/^ValueError: Only one/);
  });

  it('refuses a second manifest', () => {
    expect(() => selectMedia(['a.png', 'a.jsonl', 'b.jsonl'])).toThrow(
      'Only one manifest file can be attached to data',
    );
  });
});

describe('splitContextImages', () => {
  it('assigns context images to the frame next to their folder', () => {
    const { frames, related } = splitContextImages([
      'd/related_images/a_png/1.jpg',
      'd/a.png',
      'd/related_images/a_png/2.jpg',
      'a.png',
      'd/related_images/lost_png/1.jpg',
    ]);
    expect(frames).toEqual(['d/a.png', 'a.png']);
    expect([...related]).toEqual([['d/a.png', ['d/related_images/a_png/1.jpg', 'd/related_images/a_png/2.jpg']]]);
  });

  it('finds those of point clouds next to the folder of the cloud', () => {
    const { related } = splitContextImages(['t/pointcloud/1.pcd', 't/related_images/1_pcd/x.png']);
    expect(related.get('t/pointcloud/1.pcd')).toEqual(['t/related_images/1_pcd/x.png']);
  });

  it.each([
    ['next to a cloud, with its name', 'data/a.pcd', ['data/a.png', 'data/a.jpg']],
    ['in a folder with the name of the cloud', 'data/a/a.pcd', ['data/a/left.png', 'data/a/right.png']],
    ['of KITTI', 'drive/velodyne_points/data/1.bin', ['drive/IMAGE_00/data/1.png', 'drive/image_02/data/1.jpg']],
    ['in related_images for a .bin file that CVAT would convert', 'pointcloud/1.bin', ['related_images/1_pcd/x.png']],
  ])('finds images %s', (_, cloud, images) => {
    const strangers = ['data/b.png', 'velodyne_points/data/2.png', 'image_00/data/2.png'];
    const { frames, related } = splitContextImages([...images, ...strangers, cloud]);
    expect([frames, [...related]]).toEqual([[cloud], [[cloud, images]]]);
  });

  it('makes only point clouds frames if there are any', () => {
    expect(splitContextImages(['a.png', 'b.pcd']).frames).toEqual(['b.pcd']);
  });
});

describe('error texts', () => {
  it('quotes as Python does, on one line', () => {
    expect(quoted('a.png')).toBe("'a.png'");
    expect(quoted("it's")).toBe('"it\'s"');
    expect(quoted(`'"`)).toBe(`'\\'"'`);
    expect(quoted('a\n\0\\')).toBe(`'a\\n\\x00\\\\'`);
  });

  it('writes failures found by the worker as the clients know them', () => {
    expect(validationFailure('no').message).toBe(
      "rest_framework.exceptions.ValidationError: [ErrorDetail(string='no', code='invalid')]",
    );
  });
});
