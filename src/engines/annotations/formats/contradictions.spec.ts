import { describe, expect, it } from '@jest/globals';
import { encodePng } from './items/png.js';
import {
  exported,
  imported,
  MemoryFiles,
  plainLabel,
  shapeOf,
  testTarget,
  testTask,
  datasetOf,
} from '../../../../test/support/datasets.js';
import { sortedLabelColors } from './items/colors.js';
import { importFormats, exportFormats } from './registry.js';

const frames = testTask.frames;
const image = { id: 1, file_name: 'a.jpg' };
const json = (value: object): string => JSON.stringify(value);
const coco = (more: object): string =>
  json({
    categories: [{ id: 1, name: 'car' }],
    images: [image],
    annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [1, 2, 3, 4], keypoints: [], segments_info: [] }],
    ...more,
  });
const twoCategories = {
  categories: [
    { id: 1, name: 'car' },
    { id: 1, name: 'person' },
  ],
};
const twoImages = { images: [image, { id: 1, file_name: 'b.jpg' }] };

/** A red square on black, of the size of the frames. */
async function mask(): Promise<Buffer> {
  const data = Buffer.alloc(64 * 48 * 3);
  for (let y = 5; y < 20; y++) for (let x = 5; x < 20; x++) data[(y * 64 + x) * 3] = 255;
  return Buffer.from(await encodePng({ width: 64, height: 48, channels: 3, data }));
}

async function read(format: string, files: Record<string, string | Buffer>) {
  const importer = importFormats.find(format);
  if (importer === undefined) throw new Error(`There is no format ${format}`);
  return imported(importer, MemoryFiles.of(files), { ...testTarget, frames });
}

const voc = (labelmap: string) => async () => ({
  'labelmap.txt': labelmap,
  'SegmentationClass/a.png': await mask(),
  'ImageSets/Segmentation/default.txt': 'a\n',
});
const camvid = (colors: string) => async () => ({
  'label_colors.txt': colors,
  'default.txt': '/default/a.jpg defaultannot/a.png\n',
  'defaultannot/a.png': await mask(),
});

describe('files that contradict themselves', () => {
  it.each([
    ['COCO 1.0', { 'a.json': coco(twoCategories) }, "the category id '1' is listed for 'car' and for 'person'"],
    ['COCO 1.0', { 'a.json': coco(twoImages) }, "the image id '1' is listed for 'a.jpg' and for 'b.jpg'"],
    ['COCO Keypoints 1.0', { 'a.json': coco(twoCategories) }, "the category id '1' is listed for 'car' and for 'person'"],
    ['COCO Keypoints 1.0', { 'a.json': coco(twoImages) }, "the image id '1' is listed for 'a.jpg' and for 'b.jpg'"],
    ['COCO Panoptic 1.0', { 'panoptic_x.json': coco(twoCategories) }, "the category id '1' is listed for 'car' and for 'person'"],
    ['COCO Panoptic 1.0', { 'panoptic_x.json': coco(twoImages) }, "the image id '1' is listed for 'a.jpg' and for 'b.jpg'"],
  ])('%s: %j', async (format, files, message) => {
    await expect(read(format, files)).rejects.toThrow(message);
  }); // prettier-ignore

  it.each([
    ['Segmentation mask 1.1', voc('car:255,0,0::\nbody:255,0,0::\n'), "the colour 255 0 0 is listed for 'car' and for 'body'"],
    ['Segmentation mask 1.1', voc('car:255,0,0::\ncar:0,9,0::\n'), "the label 'car' is listed for 'the colour 255 0 0' and for 'the colour 0 9 0'"],
    ['PASCAL VOC 1.1', voc('car:255,0,0::\nbody:255,0,0::\n'), "the colour 255 0 0 is listed for 'car' and for 'body'"],
    ['CamVid 1.0', camvid('255 0 0 car\n255 0 0 body\n'), "the colour 255 0 0 is listed for 'car' and for 'body'"],
  ])('%s: %#', async (format, files, message) => {
    await expect(read(format, await files())).rejects.toThrow(message);
  }); // prettier-ignore

  it.each(['COCO 1.0', 'COCO Keypoints 1.0'])('%s: accepts two categories of one name, and entries that are repeated', async (format) => {
    const categories = [{ id: 1, name: 'car' }, { id: 1, name: 'car' }, { id: 2, name: 'car' }];
    await expect(read(format, { 'a.json': coco({ categories, images: [image, image] }) })).resolves.toBeDefined();
  }); // prettier-ignore

  it('accepts a label map without distinct colours if there are no masks', async () => {
    const box = '<annotation><filename>a.jpg</filename><object><name>car</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>';
    const files = { 'labelmap.txt': 'car:0,0,0::\nbody:0,0,0::\n', 'Annotations/a.xml': box };
    expect((await read('PASCAL VOC 1.1', files)).shapes).toHaveLength(1);
  }); // prettier-ignore
});

describe('labels of one colour', () => {
  const colors = ['#ff0000', '#ff0000', '#800000'];
  const labels = ['a', 'b', 'c'].map((name, at) => ({ ...plainLabel(at + 1, name), color: colors[at] ?? '' }));

  it('get different ones in exports', () => {
    const colors = sortedLabelColors(labels).map(({ name, color }) => `${name} ${color.join(' ')}`);
    expect(colors).toEqual(['background 0 0 0', 'a 255 0 0', 'b 0 128 0', 'c 128 0 0']);
  });

  it.each(['Segmentation mask 1.1', 'CamVid 1.0'])('come back from %s', async (name) => {
    const [exporter, importer] = [exportFormats.find(name), importFormats.find(name)];
    if (exporter === undefined || importer === undefined) throw new Error(name);
    const shapes = [1, 2].map((id) => shapeOf('rectangle', [10 * id, 5, 10 * id + 5, 9], { label_id: id }));
    const files = await exported(exporter, { shapes }, { ...datasetOf(testTask), labels });
    const back = await imported(importer, files, { ...testTarget, labels });
    expect(new Set(back.shapes.map(({ label_id: id }) => id))).toEqual(new Set([1, 2]));
  });
});
