import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  pointsOf,
  shapeOf,
  testTarget,
  testTask,
  trackOf,
} from '../../../../../test/support/datasets.js';
import { motExport } from './export.js';
import { motImport } from './import.js';

const read = (rows: string, more: Record<string, string> = { 'gt/labels.txt': 'car\nbody' }, target = testTarget) =>
  imported(motImport, MemoryFiles.of({ 'gt/gt.txt': rows, ...more }), target);

describe('MOT', () => {
  it('round-trips rectangles', async () => {
    const rectangle = fc
      .record({ points: pointsOf.rectangle, frame: fc.nat(5), label_id: fc.constantFrom(2, 3), occluded: fc.boolean() })
      .map(({ points, ...more }) => shapeOf('rectangle', points, { ...more, source: 'file' }));
    await fc.assert(
      fc.asyncProperty(fc.array(rectangle, { maxLength: 6 }), async (list) => {
        const shapes = list.toSorted((a, b) => a.frame - b.frame);
        const data = await imported(motImport, await exported(motExport, { shapes }));
        expect(data).toMatchObject({ shapes, tracks: [] });
      }),
      { numRuns: 40 },
    );
  });

  it('round-trips tracks, with a keyframe on every frame and hidden ones after gaps', async () => {
    const tracks = [
      trackOf([{ frame: 0 }, { frame: 2, outside: true }, { frame: 4, occluded: true }]),
      trackOf([{ frame: 1 }, { frame: 2, points: [2, 2, 12, 12], outside: true }]),
    ];
    const data = await imported(motImport, await exported(motExport, { tracks }));
    const keyframes = data.tracks.map(({ shapes }) => shapes.map(({ frame, outside }) => (outside ? -frame : frame)));
    expect(keyframes).toEqual([
      [0, 1, -2, 4, 5],
      [1, -2],
    ]);
    expect(data.tracks[0]?.shapes[3]).toMatchObject({ occluded: true, points: [0, 0, 10, 10] });
    expect(data.shapes).toEqual([]);
  });

  it('writes and reads names of images that are numbers', async () => {
    const frames = testTask.frames.map((frame) => ({ ...frame, name: `00${frame.frame * 2}.jpg` }));
    const files = await exported(
      motExport,
      { shapes: [shapeOf('rectangle', [1, 1, 2, 2], { frame: 3 })] },
      datasetOf({ ...testTask, frames }),
    );
    expect(files.text('gt/gt.txt')).toBe('6,-1,1.0,1.0,1.0,1.0,1,2,1.0\r\n');
    const target = { ...testTarget, frames };
    expect((await imported(motImport, files, target)).shapes).toMatchObject([{ frame: 3 }]);
    const { shapes } = await read('5,-1,1,1,1,1,1,2\n4,-1,1,1,1,1,1,2', undefined, target);
    // Positions, because there is no image 5.
    expect(shapes).toMatchObject([{ frame: 4 }, { frame: 3 }]);
  });

  it.each([
    ['numbers and other names', ['7.jpg', '100%.jpg', '12.jpg', 'a.jpg'], ['7', '2', '12', '4']],
    ['numbers that are positions of others', ['100%.jpg', '1.jpg', '2.jpg', '3.jpg'], ['1', '2', '3', '4']],
    ['numbers that are the same', ['4.jpg', '04.jpg', '1.jpg', '2.jpg'], ['1', '2', '3', '4']],
    ['numbers in folders', ['a/2.jpg', 'a/1.jpg', 'b/4.jpg', 'b/3.jpg'], ['1', '2', '3', '4']],
    [
      'numbers with more digits than a number has',
      ['1403636579763555584.png', '1403636579763555585.png', '0.png', 'a.png'],
      ['1403636579763555584', '1403636579763555585', '0', '4'],
    ],
  ])('gives every image a number of its own: %s', async (_, names, numbers) => {
    const frames = testTask.frames.slice(0, 4).map((frame, at) => ({ ...frame, name: names[at] ?? '' }));
    const shapes = frames.map(({ frame }) => shapeOf('rectangle', [1, 1, 2, 2], { frame }));
    const files = await exported(motExport, { shapes }, datasetOf({ ...testTask, frames }));
    const rows = files.text('gt/gt.txt').trim().split('\r\n');
    expect(rows.map((row) => row.split(',')[0])).toEqual(numbers);
    const back = await imported(motImport, files, { ...testTarget, frames });
    expect(back.shapes.map(({ frame }) => frame)).toEqual([0, 1, 2, 3]);
  });

  it('reads a dataset in a folder, and the labels of the MOT challenge if there is no list', async () => {
    const files = MemoryFiles.of({ 'MOT17/train/gt/gt.txt': '1,-1,1,1,1,1,0,3,0.5' });
    expect((await imported(motImport, files)).shapes).toMatchObject([{ frame: 0, label_id: 1, occluded: false }]);
    expect(await motImport.labels?.(files)).toHaveLength(12);
    expect(motImport.imageAt('MOT17/train/img1/000001.jpg')).toEqual({ name: '000001.jpg', subset: 'default' });
    expect(motImport.imageAt('MOT17/train/det/det.txt')).toBeUndefined();
  });

  it.each([
    ['1,-1,1,1,1', 'gt/gt.txt, line 1: a row has 7 to 10 columns, not 5'],
    ['\n1,-1,1,x,1,1,1,1', "gt/gt.txt, line 2: '1,-1,1,x,1,1,1,1' has a column that is not a number"],
    ['1,-1,1,NaN,1,1,1,1', "gt/gt.txt, line 1: '1,-1,1,NaN,1,1,1,1' has a column that is not a number"],
    ['1,-1,1,1,1,1,1', 'gt/gt.txt, line 1: the list of labels has no class -1'],
    ['1,-1,1,1,1,1,1,3', 'gt/gt.txt, line 1: the list of labels has no class 3'],
    ['1,1,1,1,1,1,1,1\n1,1,1,1,1,1,1,1', 'gt/gt.txt, line 1: a track has two shapes on one frame'],
  ])('reports the fault in %j', async (rows, message) => {
    await expect(read(rows)).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects unknown labels, unknown frames and archives without rows', async () => {
    await expect(read('1,-1,1,1,1,1,1,1', { 'gt/labels.txt': 'cat' })).rejects.toThrow("there is no label 'cat'");
    await expect(read('7,-1,1,1,1,1,1,1')).rejects.toThrow("Could not match item id: '7' with any task frame");
    await expect(imported(motImport, MemoryFiles.of({ 'gt.txt': '' }))).rejects.toThrow(
      'Dataset must contain a file: "gt/gt.txt"',
    );
  });
});
