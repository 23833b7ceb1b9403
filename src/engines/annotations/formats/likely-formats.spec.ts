import { describe, expect, it } from '@jest/globals';
import { MemoryFiles } from '../../../../test/support/datasets.js';
import { archiveOf, readableExports } from '../../../../test/support/format-archives.js';
import { type DatasetFiles, FormatError, type ImportFormat } from './format.js';
import { likelyFormats } from './likely-formats.js';
import { importFormats } from './registry.js';

const named = async (files: DatasetFiles, formats = importFormats.all): Promise<string[]> =>
  (await likelyFormats(files, formats, undefined)).map(({ info }) => info.name);

const JSON_NAMES = 'annotations/x.json';

describe('the format of a file', () => {
  it.each(readableExports)('is that of an export in $name', async (format) => {
    const { files } = await archiveOf(format);
    expect((await named(files))[0]).toBe(format.importer.info.name);
  });

  it.each(readableExports)('is that of an export in $name in a folder with a readme and images', async (format) => {
    const { files } = await archiveOf(format);
    const moved = Array.from(files.files, ([path, content]) => [`my dataset/${path}`, content]);
    const more = { 'my dataset/README.md': 'text', '.DS_Store': 'x', 'photos/a.jpg': 'JPEG' };
    expect((await named(MemoryFiles.of({ ...Object.fromEntries(moved), ...more })))[0]).toBe(format.importer.info.name);
  });

  it.each([
    ['COCO 1.0', { [JSON_NAMES]: '{"info":{},"images":[],"annotations":[],"categories":[]}' }],
    ['COCO 1.0', { 'a.json': '{"licenses":[1],"images":[{"id":1}]}' }],
    [
      'COCO Keypoints 1.0',
      { [JSON_NAMES]: '{"categories":[{"id":1,"keypoints":["nose"]}],"images":[],"annotations":[]}' },
    ],
    ['COCO Panoptic 1.0', { 'panoptic_a.json': '{"images":[],"annotations":[{"segments_info":[]}]}' }],
    ['Datumaro 1.0', { [JSON_NAMES]: '{"info":{},"categories":{"label":{}},"items":[]}' }],
    ['Datumaro 3D 1.0', { [JSON_NAMES]: '{"categories":{},"items":[{"annotations":[{"type":"cuboid_3d"}]}]}' }],
    ['CVAT 1.1', { 'a.xml': '<?xml version="1.0"?>\n<!-- x --><annotations><version>1.1</version></annotations>' }],
    ['PASCAL VOC 1.1', { 'a.xml': '<annotation><size/><object><bndbox/></object></annotation>' }],
    ['LabelMe 3.0', { 'a.xml': '<annotation><object><polygon/></object></annotation>' }],
    [
      'Kitti Raw Format 1.0',
      { 'a.xml': '<!DOCTYPE boost_serialization><boost_serialization><tracklets/></boost_serialization>' },
    ],
    ['MOT 1.1', { 'a.txt': '1,1,10,10,20,20,1,1,1\n' }],
    ['KITTI 1.0', { 'a.txt': 'car 0.0 0 -1 1 2 3 4 -1 -1 -1 -1 -1 -1 -1\n' }],
    ['YOLO 1.1', { 'data/obj.data': 'classes = 1', 'data/obj.names': 'car', 'data/obj/a.txt': '0 .5 .5 .1 .1' }],
    ['YOLO 1.1', { 'classes.txt': 'car', 'a.txt': '0 .5 .5 .1 .1' }],
    ['Ultralytics YOLO Detection 1.0', { 'data.yaml': 'names: [car]', 'train/labels/a.txt': '0 .5 .5 .1 .1' }],
    ['Ultralytics YOLO Segmentation 1.0', { 'data.yaml': 'names: [car]', 'labels/train/a.txt': '0 .1 .1 .2 .1 .3 .3' }],
    [
      'Ultralytics YOLO Segmentation 1.0',
      { 'data.yaml': 'names: [car]', 'labels/train/a.txt': '0 .1 .1 .5 .1 .3 .3 .1 .2' },
    ],
    [
      'Ultralytics YOLO Oriented Bounding Boxes 1.0',
      { 'data.yaml': 'names: [car]', 'labels/train/a.txt': '0 .1 .1 .2 .2 .1 .3 0 .2' },
    ],
    [
      'Ultralytics YOLO Pose 1.0',
      { 'data.yaml': 'kpt_shape: [1, 3]\nnames: [body]', 'labels/train/a.txt': '0 .5 .5 .1 .1 .5 .5 2' },
    ],
    ['Ultralytics YOLO Classification 1.0', { 'train/car/a.jpg': '', 'val/car/b.jpg': '' }],
    ['ImageNet 1.0', { 'car/a.jpg': '', 'person/b.jpg': '' }],
    ['ICDAR Localization 1.0', { 'gt_a.txt': '377,117,463,117,465,130,378,130,Genaxis Theatre' }],
    ['ICDAR Recognition 1.0', { 'gt.txt': 'word_1.png, "Genaxis"' }],
    ['Segmentation mask 1.1', { 'SegmentationClass/a.png': '', 'labelmap.txt': '' }],
  ])('%s is recognized by its content, case %#', async (name, files) => {
    expect((await named(MemoryFiles.of(files)))[0]).toBe(name);
  });

  it.each([
    ['nothing', {}],
    ['a readme', { 'README.md': 'car 1 2 3' }],
    ['other JSON', { 'a.json': '{"version":1,"shapes":[]}' }],
    ['other XML', { 'a.xml': '<svg/>' }],
    ['a text', { 'a.txt': 'Some text' }],
    ['an empty file', { 'annotations.xml': '', 'instances_default.json': '' }],
  ])('is unknown for %s', async (_case, files) => {
    expect(await named(MemoryFiles.of(files as Readonly<Record<string, string>>))).toEqual([]);
  });

  it('is only proposed if it is made for the media of the object', async () => {
    const files = MemoryFiles.of({ [JSON_NAMES]: '{"categories":{},"items":[]}' });
    const formats = await likelyFormats(files, importFormats.all, '3d');
    expect(formats.map(({ info }) => info.name)).toEqual(['Datumaro 3D 1.0']);
  });

  describe('of an extension that does not recognize files', () => {
    const format = (read: ImportFormat['read']): ImportFormat => ({
      info: { name: 'Own 1.0', ext: 'ZIP', version: '1.0', enabled: true, dimension: '2d' },
      imageAt: () => undefined,
      read,
    });

    it('is proposed if it finds annotations', async () => {
      // oxlint-disable-next-line require-yield
      const own = format(async function* (_files, { notes }) {
        notes?.withoutFrame('a', 'a.own');
      });
      expect(await named(MemoryFiles.of({ 'a.own': 'x' }), [own])).toEqual(['Own 1.0']);
    });

    it('is not proposed if it cannot read the file', async () => {
      // oxlint-disable-next-line require-yield
      const own = format(async function* () {
        throw new FormatError('a.own: this is not mine');
      });
      expect(await named(MemoryFiles.of({ 'a.own': 'x' }), [own])).toEqual([]);
    });
  });
});
