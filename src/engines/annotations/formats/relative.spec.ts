import { describe, expect, it } from '@jest/globals';
import { imported, MemoryFiles, testTarget } from '../../../../test/support/datasets.js';
import type { LabeledData } from '../../../shared/annotations/model.js';
import { importFormats } from './registry.js';

const config = 'kpt_shape: [2, 3]\nnames: [car]\n';
const skeletons = config.replace('car', 'body');
const withoutPoints = config.replace(/^kpt_shape.*\n/, '');

/** One line of numbers in each format, and the file that has it. */
const FORMATS = {
  'YOLO 1.1': { path: 'obj_train_data/a.txt', of: (box: string) => `0 ${box}\n`, more: { 'obj.names': 'car\n' } },
  'Ultralytics YOLO Detection 1.0': {
    path: 'labels/train/a.txt',
    of: (box: string) => `0 ${box}\n`,
    more: { 'data.yaml': withoutPoints },
  },
  'Ultralytics YOLO Segmentation 1.0': {
    path: 'labels/train/a.txt',
    of: (box: string) => `0 ${box} 0.5 0.5\n`,
    more: { 'data.yaml': withoutPoints },
  },
  'Ultralytics YOLO Oriented Bounding Boxes 1.0': {
    path: 'labels/train/a.txt',
    of: (box: string) => `0 ${box} 0.5 0.5 0.1 0.5\n`,
    more: { 'data.yaml': withoutPoints },
  },
  'Ultralytics YOLO Pose 1.0': {
    path: 'labels/train/a.txt',
    of: (box: string) => `0 0.5 0.5 0.2 0.2 ${box.replaceAll(/(\S+ \S+)/g, '$1 2')}\n`,
    more: { 'data.yaml': skeletons },
  },
  'Open Images V6 1.0': {
    path: 'annotations/train-annotations-bbox.csv',
    of: (box: string) => `ImageID,LabelName,XMin,XMax,YMin,YMax\na,car,${box.replaceAll(' ', ',')}\n`,
    more: {},
  },
};

const cases = Object.entries(FORMATS).map(([name, format]) => ({ name, ...format }));
type Case = (typeof cases)[number];

async function read({ name, path, of, more }: Case, box: string): Promise<LabeledData> {
  const importer = importFormats.find(name);
  if (importer === undefined) throw new Error(`There is no format ${name}`);
  return imported(importer, MemoryFiles.of({ ...more, [path]: of(box) }), testTarget);
}

describe('coordinates relative to the image', () => {
  it.each(cases)('$name: pixels are refused with their file, line and value', async (format) => {
    const line = format.path.endsWith('.csv') ? 2 : 1;
    const fault = `${format.path}, line ${line}: 320 is beyond the image: coordinates are parts of its width and height, from 0 to 1`;
    await expect(read(format, '320 240 50 60')).rejects.toThrow(fault);
  });

  it.each(cases)('$name: objects may reach beyond the image', async (format) => {
    const data = await read(format, '-0.2 1.05 1.5 0.9');
    expect(data.shapes).toHaveLength(1);
  });
});
