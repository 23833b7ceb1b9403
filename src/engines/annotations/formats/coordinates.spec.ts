import { describe, expect, it } from '@jest/globals';
import { exported, imported, MemoryFiles, shapeOf, testTarget, trackOf } from '../../../../test/support/datasets.js';
import type { DatasetFrame } from './dataset.js';
import type { ImportTarget } from './format.js';
import { exportFormats, importFormats } from './registry.js';

const frame: DatasetFrame = { frame: 0, number: 0, name: 'a.jpg', width: 100, height: 100 };
const target: ImportTarget = { ...testTarget, frames: [frame] };

/** The same box in each format: two corners as given, or the width and height between them. */
const BOXES: Readonly<Record<string, (x1: string, y1: string, x2: string, y2: string) => Record<string, string>>> = {
  'PASCAL VOC 1.1': (x1, y1, x2, y2) => ({
    'Annotations/a.xml': `<annotation><filename>a.jpg</filename><object><name>car</name><bndbox><xmin>${x1}</xmin><ymin>${y1}</ymin><xmax>${x2}</xmax><ymax>${y2}</ymax></bndbox></object></annotation>`,
  }),
  'KITTI 1.0': (...box) => ({ 'd/label_2/a.txt': `car 0 0 0 ${box.join(' ')} 0 0 0 0 0 0 0\n` }),
  'CVAT 1.1': (x1, y1, x2, y2) => ({
    'a.xml': `<annotations><image id="0" name="a.jpg"><box label="car" xtl="${x1}" ytl="${y1}" xbr="${x2}" ybr="${y2}"/></image></annotations>`,
  }),
  'LabelMe 3.0': (x1, y1, x2, y2) => ({
    'd/a.xml': `<annotation><filename>a.jpg</filename><object><name>car</name><type>bounding_box</type><polygon>${[[x1, y1], [x2, y1], [x2, y2], [x1, y2]].map(([x, y]) => `<pt><x>${x}</x><y>${y}</y></pt>`).join('')}</polygon></object></annotation>`,
  }),
}; // prettier-ignore

/** With width and height. */
const SIZES: Readonly<Record<string, (x: string, y: string, w: string, h: string) => Record<string, string>>> = {
  'COCO 1.0': (...box) => ({
    'a.json': `{"categories":[{"id":1,"name":"car"}],"images":[{"id":1,"file_name":"a.jpg"}],"annotations":[{"id":1,"image_id":1,"category_id":1,"bbox":[${box.join()}]}]}`,
  }),
  'Datumaro 1.0': (...box) => ({
    'a.json': `{"info":{},"categories":{"label":{"labels":[{"name":"car"}]}},"items":[{"id":"a","annotations":[{"id":0,"type":"bbox","label_id":0,"bbox":[${box.join()}],"attributes":{}}]}]}`,
  }),
  'MOT 1.1': (...box) => ({ 'gt/gt.txt': `1,-1,${box.join()},1,1,1\n`, 'gt/labels.txt': 'car\n' }),
  'WiderFace 1.0': (...box) => ({
    'wider_face_split/wider_face_d_bbx_gt.txt': `x/a.jpg\n1\n${box.join(' ')} car\n`,
  }),
  'VGGFace2 1.0': (...box) => ({ 'bb_landmark/loose_bb_d.csv': `NAME_ID,X,Y,W,H\ncar/a,${box.join()}\n` }),
  'Hugging Face ImageFolder 1.0': (...box) => ({
    'data/train/metadata.jsonl': `{"file_name":"a.jpg","objects":{"bbox":[[${box.join()}]],"category":["car"]}}\n`,
  }),
}; // prettier-ignore

/** With the centre, width and height as parts of the image. */
const CENTRES: Readonly<Record<string, (cx: string, cy: string, w: string, h: string) => Record<string, string>>> = {
  'YOLO 1.1': (...box) => ({ 'obj.names': 'car\n', 'obj_train_data/a.txt': `0 ${box.join(' ')}\n` }),
  'Ultralytics YOLO Detection 1.0': (...box) => ({
    'data.yaml': 'names: [car]\ntrain: images/train',
    'labels/train/a.txt': `0 ${box.join(' ')}\n`,
  }),
};

async function boxIn(format: string, files: Readonly<Record<string, string>>): Promise<number[]> {
  const importer = importFormats.find(format);
  if (importer === undefined) throw new Error(`There is no format ${format}`);
  const { shapes, tracks } = await imported(importer, MemoryFiles.of(files), target);
  return (shapes[0] ?? tracks[0]?.shapes[0])?.points.map(Math.round) ?? [];
}

const swapped = [
  ...Object.entries(BOXES).map(([name, of]) => ({ name, files: of('30', '40', '10', '20') })),
  ...Object.entries(SIZES).map(([name, of]) => ({ name, files: of('30', '40', '-20', '-20') })),
  ...Object.entries(CENTRES).map(([name, of]) => ({ name, files: of('0.2', '0.3', '-0.2', '-0.2') })),
];

const infinite = [...Object.entries(BOXES), ...Object.entries(SIZES), ...Object.entries(CENTRES)].flatMap(([name, of]) =>
  ['NaN', '1e999', 'inf'].map((value) => ({ name, value, files: of('10', '20', value, '40') })),
); // prettier-ignore

const exports = exportFormats.all.filter(({ info: { name } }) => ['PASCAL VOC 1.1', 'KITTI 1.0', 'CVAT for images 1.1', 'CVAT for video 1.1', 'Datumaro 1.0', 'COCO 1.0', 'LabelMe 3.0'].includes(name)); // prettier-ignore

describe('coordinates', () => {
  it.each(swapped)('$name: a box with swapped corners is the box between them', async ({ name, files }) => {
    const isFromZero = name.startsWith('PASCAL') ? 1 : 0;
    const box = await boxIn(name, files);
    expect([10, 20, 30, 40].map((value, at) => Math.abs((box[at] ?? NaN) - value) <= isFromZero)).toEqual([true, true, true, true]); // prettier-ignore
  });

  it.each(infinite)('$name: $value is refused with its place', async ({ name, files }) => {
    await expect(boxIn(name, files)).rejects.toThrow(/^\S+\.(xml|json|txt|csv|jsonl)\b/);
  });

  it('of an ellipse with a negative radius are those of the ellipse', async () => {
    const ellipse = '<ellipse label="car" cx="50" cy="60" rx="-20" ry="-10"/>';
    const file = `<annotations><image id="0" name="a.jpg">${ellipse}</image></annotations>`;
    expect(await boxIn('CVAT 1.1', { 'a.xml': file })).toEqual([50, 60, 70, 50]);
  });

  it.each(exports)('are put in order by exports to $info.name', async (format) => {
    const dataWith = (points: number[]) => ({
      shapes: [shapeOf('rectangle', points, { label_id: 1 })],
      tracks: [trackOf([{ frame: 0, points }])],
    });
    const files = await exported(format, dataWith([30, 40, 10, 20]));
    expect(files.files).toEqual((await exported(format, dataWith([10, 20, 30, 40]))).files);
  });
});
