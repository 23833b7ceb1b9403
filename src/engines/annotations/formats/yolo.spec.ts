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
} from '../../../../test/support/datasets.js';
import { yoloExport, yoloImport } from './yolo.js';

const NAMES = 'car\nperson & "friend"\nbody\n';

describe('YOLO', () => {
  it('round-trips rectangles', async () => {
    const rectangle = fc
      .record({ points: pointsOf.rectangle, frame: fc.nat(5), label_id: fc.constantFrom(2, 3) })
      .map(({ points, ...more }) => shapeOf('rectangle', points, { ...more, source: 'file' }));
    await fc.assert(
      fc.asyncProperty(fc.array(rectangle, { maxLength: 6 }), async (list) => {
        const shapes = list.toSorted((a, b) => a.frame - b.frame);
        const data = await imported(yoloImport, await exported(yoloExport, { shapes }));
        expect(data.shapes).toEqual(shapes);
      }),
      { numRuns: 60 },
    );
  });

  it('writes the files that darknet reads', async () => {
    const shapes = [shapeOf('rectangle', [16, 12, 48, 36]), shapeOf('polygon', [1, 1, 2, 2, 3, 1])];
    const files = await exported(yoloExport, {
      shapes,
      tracks: [trackOf([{ frame: 2 }, { frame: 3, outside: true }])],
    });
    expect(files.text('obj.names')).toBe(NAMES);
    expect(files.text('obj.data')).toBe(
      'classes = 3\ntrain = data/train.txt\nnames = data/obj.names\nbackup = backup/\n',
    );
    expect(files.text('train.txt')).toMatch(/^data\/obj_train_data\/a.jpg\n.*\ndata\/obj_train_data\/sub\/c.jpg\n/s);
    expect(files.text('obj_train_data/a.txt')).toBe('1 0.500000 0.500000 0.500000 0.500000\n');
    expect(files.text('obj_train_data/sub/c.txt')).toBe('1 0.078125 0.104167 0.156250 0.208333\n');
    expect(files.files.get('obj_train_data/b.txt')).toHaveLength(0);
    expect(files.paths).toHaveLength(3 + testTask.frames.length);
  });

  it('clips boxes to the image, and writes the bounding box of a rotated one', async () => {
    const shapes = [
      shapeOf('rectangle', [-10, -10, 32, 24]),
      shapeOf('rectangle', [100, 100, 120, 120]),
      shapeOf('rectangle', [22, 14, 42, 34], { rotation: 90 }),
      shapeOf('rectangle', [12, 19, 52, 29], { rotation: 90, frame: 1 }),
    ];
    const files = await exported(yoloExport, { shapes });
    expect(files.text('obj_train_data/a.txt')).toBe(
      '1 0.250000 0.250000 0.500000 0.500000\n1 0.500000 0.500000 0.312500 0.416667\n',
    );
    expect(files.text('obj_train_data/b.txt')).toBe('1 0.500000 0.500000 0.156250 0.833333\n');
  });

  it.each(['Train', 'test', 'Validation', 'a b'])('names files after the subset %s', async (subset) => {
    const files = await exported(yoloExport, {}, datasetOf({ ...testTask, subset }));
    expect(files.text('obj.data')).toContain(`\n${subset} = data/${subset}.txt\n`);
    expect(files.text(`${subset}.txt`)).toContain(`data/obj_${subset}_data/a.jpg\n`);
    expect(files.paths).toContain(`obj_${subset}_data/a.txt`);
  });

  it('puts tasks without a subset into the training subset', async () => {
    const named = (id: number, subset: string) => ({
      ...testTask,
      id,
      subset,
      frames: testTask.frames.map((frame) => ({ ...frame, name: `${id}/${frame.name}` })),
    });
    const dataset = { ...datasetOf(named(1, '')), kind: 'project' as const };
    const files = await exported(
      yoloExport,
      {},
      { ...dataset, tasks: [named(1, ''), named(2, 'TRAIN'), named(3, 'test')] },
    );
    expect(files.text('obj.data').split('\n').filter((line) => line.includes('data/'))).toEqual([
      'TRAIN = data/TRAIN.txt', 'test = data/test.txt', 'names = data/obj.names',
    ]); // prettier-ignore
    expect(files.paths).toEqual(expect.arrayContaining(['obj_TRAIN_data/1/a.txt', 'obj_TRAIN_data/2/a.txt', 'obj_test_data/3/a.txt'])); // prettier-ignore
    expect(yoloExport.imagePath(testTask.frames[0] ?? NO_FRAME, named(1, ''), { ...dataset, tasks: [named(2, 'TRAIN')] })).toMatch(/^obj_TRAIN_data\//); // prettier-ignore
  });

  it.each(['names', 'classes', 'backup'])(
    'refuses a subset called %s, for its list would be taken for a setting',
    async (subset) => {
      await expect(exported(yoloExport, {}, datasetOf({ ...testTask, subset }))).rejects.toMatchObject({
        name: 'FormatError',
        message: `Can't export '${subset}' subset in YOLO format, this word is reserved.`,
      });
    },
  );
});

describe('YOLO export', () => {
  it('rejects two images whose boxes would have the same file', async () => {
    const frames = testTask.frames.map((frame) => ({ ...frame, name: frame.frame === 1 ? 'a.png' : frame.name }));
    const outcome = exported(yoloExport, {}, datasetOf({ ...testTask, frames }));
    const message = "YOLO 1.1 has one file 'obj_train_data/a.txt' for several images of the dataset.";
    await expect(outcome).rejects.toMatchObject({ name: 'FormatError', message });
  });
});

describe('YOLO export of a project', () => {
  it('distinguishes images of one name in tasks without a subset and in training tasks', async () => {
    const tasks = [{ ...testTask, subset: 'Train' }, { ...testTask, id: 8, frames: testTask.frames.map((frame) => ({ ...frame })) }]; // prettier-ignore
    const dataset = { ...datasetOf(testTask), kind: 'project' as const, tasks };
    const files = await exported(yoloExport, {}, dataset);
    expect(files.paths).toEqual(expect.arrayContaining(['obj_Train_data/a.txt', 'obj_Train_data/a_1.txt']));
    const [, other = testTask] = tasks;
    expect(yoloExport.imagePath(other.frames[0] ?? NO_FRAME, other, dataset)).toBe('obj_Train_data/a_1.jpg');
    expect(files.text('Train.txt')).toContain('data/obj_Train_data/a_1.jpg\n');
  });
});

const NO_FRAME = { frame: 0, number: 0, name: '', width: 1, height: 1 };

describe('YOLO import', () => {
  it('reads labels from the list of classes', async () => {
    expect(await yoloImport.labels?.(MemoryFiles.of({ 'obj.names': 'car\n\ncar\na tree\n' }))).toEqual([
      { name: 'car', attributes: [] },
      { name: 'a tree', attributes: [] },
    ]);
  });

  const read = (text: string, path = 'obj_train_data/a.txt') =>
    imported(yoloImport, MemoryFiles.of({ 'obj.names': NAMES, [path]: text, 'obj_train_data/zero.txt': '\n' }));

  it.each([
    ['7 0.5 0.5 0.1 0.1', 'obj_train_data/a.txt, line 1: obj.names has no class 7'],
    ['3 0.5 0.5 0.1 0.1', 'obj_train_data/a.txt, line 1: obj.names has no class 3'],
    ['-1 0.5 0.5 0.1 0.1', 'obj_train_data/a.txt, line 1: obj.names has no class -1'],
    ['\n0 0.5 0.5 0.1', "obj_train_data/a.txt, line 2: '0 0.5 0.5 0.1' is not a class and four numbers"],
    ['0 0.5 x 0.1 0.1', "obj_train_data/a.txt, line 1: '0 0.5 x 0.1 0.1' is not a class and four numbers"],
    ['0x0 .5 .5 .1 .1', "obj_train_data/a.txt, line 1: '0x0 .5 .5 .1 .1' is not a class and four numbers"],
  ])('reports the fault in %j', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects unknown labels, unknown images and archives without names', async () => {
    const files = { 'obj.names': 'cat\n', 'data/obj_train_data/a.txt': '0 0.5 0.5 0.1 0.1' };
    await expect(imported(yoloImport, MemoryFiles.of(files))).rejects.toThrow("there is no label 'cat'");
    await expect(read('0 0.5 0.5 0.1 0.1', 'obj_train_data/s0.txt')).rejects.toThrow("match item id: 's0' with any");
    await expect(imported(yoloImport, MemoryFiles.of({ 'a.txt': '' }))).rejects.toThrow('no file obj.names');
  });

  it('reads the files of one subset', async () => {
    const files = MemoryFiles.of({
      'obj.names': NAMES,
      'obj_train_data/a.txt': '0 .5 .5 .1 .1',
      'obj_valid_data/b.txt': '0 .5 .5 .1 .1',
    });
    const { shapes } = await imported(yoloImport, files, { ...testTarget, subset: 'valid' });
    expect(shapes.map(({ frame }) => frame)).toEqual([1]);
  });

  it('fails only with a FormatError', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('0', ' ', '.5', '\n', 'e9', '-', 'x', '1e400')), async (words) => {
        const outcome = await read(words.join('')).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toMatchObject({ name: 'FormatError' });
      }),
    );
  });
});
