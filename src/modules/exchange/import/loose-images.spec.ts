import { describe, expect, it } from '@jest/globals';
import { cocoImport } from '../../../engines/annotations/formats/coco-import.js';
import { cvatImport } from '../../../engines/annotations/formats/cvat-import.js';
import { slyImport } from '../../../engines/annotations/formats/sly/import.js';
import { MemoryFiles } from '../../../../test/support/datasets.js';
import { looseImages } from './loose-images.js';

const filesOf = (...paths: string[]) => MemoryFiles.of(Object.fromEntries(paths.map((path) => [path, ''])));
const found = (...paths: string[]) =>
  looseImages(paths, cocoImport.info, 'default').map(({ subset, name }) => [subset, name]);

describe('looseImages', () => {
  it.each([
    ['COCO 2017', ['coco/train2017/a.jpg', 'coco/val2017/b.jpg'], [['train2017', 'a.jpg'], ['val2017', 'b.jpg']]],
    ['Roboflow', ['train/a.jpg', 'train/_annotations.coco.json'], [['train', 'a.jpg']]],
    ['labelImg', ['a.jpg', 'a.xml'], [['default', 'a.jpg']]],
    ['FiftyOne', ['data/a.jpg', 'labels.json'], [['default', 'a.jpg']]],
    ['Ultralytics', ['images/train/a.jpg', 'labels/train/a.txt'], [['train', 'a.jpg']]],
    ['folders', ['x/b/1.jpg', 'x/c/1.jpg'], [['default', 'b/1.jpg'], ['default', 'c/1.jpg']]],
  ])('finds the images of %s', (_, paths, images) => {
    expect(found(...paths)).toEqual(images);
  }); // prettier-ignore

  it('keeps paths that would become one name', () => {
    expect(found('images/a.jpg', 'photos/a.jpg')).toEqual([['default', 'images/a.jpg'], ['default', 'photos/a.jpg']]); // prettier-ignore
  });

  it('leaves out masks', () => {
    const masks = ['SegmentationClass/a.png', 'annotations/panoptic_x/a.png', 'trainannot/a.png', 'masks/a.png', 'a_GT.bmp'];
    expect(found('a.jpg', ...masks)).toEqual([['default', 'a.jpg']]);
  }); // prettier-ignore

  it('names images of different subsets by their paths if their names are the same', () => {
    const images = looseImages(['train/a.jpg', 'val/a.jpg', 'val/b.jpg'], cocoImport.info, 'default');
    expect(images.map(({ uniqueName }) => uniqueName)).toEqual(['train/a.jpg', 'val/a.jpg', 'b.jpg']);
  });

  it('says that there are no images', () => {
    expect(() => found('a.json')).toThrow('The archive holds no images from which tasks could be created.');
  });

  it('says that the images cannot be used', () => {
    expect(() => looseImages(['a.jpg'], slyImport.info, 'default')).toThrow('the images in it are no point clouds');
  }); // prettier-ignore
});

describe('images of formats whose folders may be subsets', () => {
  const image = (attributes: string) => `<image id="0" ${attributes}></image>`;
  const inXml = async (xml: string, ...paths: string[]) => {
    const imageAt = await cvatImport.imagesIn?.(MemoryFiles.of({ 'a.xml': `<annotations>${xml}</annotations>` }));
    return paths.map((path) => imageAt?.(path));
  };

  it('are parts of names if the XML says nothing else', async () => {
    expect(await inXml(image('name="b/1.jpg"'), 'images/b/1.jpg')).toEqual([{ name: 'b/1.jpg', subset: 'default' }]);
  });

  it('are subsets if images belong to them', async () => {
    const xml = image('name="1.jpg" subset="b"') + image('name="c/1.jpg" subset="d"');
    expect(await inXml(xml, 'images/b/1.jpg', 'images/d/c/1.jpg')).toEqual([
      { name: '1.jpg', subset: 'b' },
      { name: 'c/1.jpg', subset: 'd' },
    ]);
  });

  it('are subsets if tracks belong to them', async () => {
    const xml = '<track id="0" label="car" subset="b"></track><track id="1" label="car" subset="c"></track>';
    expect(await inXml(xml, 'images/b/frame_000001.png')).toEqual([{ name: 'frame_000001.png', subset: 'b' }]);
  });

  it('are not needed for the subset of an image', async () => {
    expect(await inXml(image('name="1.jpg" subset="b"'), 'images/1.jpg')).toEqual([{ name: '1.jpg', subset: 'b' }]);
  });

  it('are subsets of COCO if a file has their annotations', async () => {
    const imageAt = await cocoImport.imagesIn?.(
      filesOf('annotations/instances_b.json', 'annotations/instances_c.json'),
    );
    expect(['images/b/1.jpg', 'images/x/1.jpg'].map((path) => imageAt?.(path))).toEqual([
      { name: '1.jpg', subset: 'b' },
      { name: 'x/1.jpg', subset: 'default' },
    ]);
  });
});
