import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  pointsOf,
  shapeOf,
  testTask,
  trackOf,
} from '../../../../../test/support/datasets.js';
import type { Shape, ShapeElement } from '../../../../shared/annotations/model.js';
import type { ExportFormat, ImportFormat } from '../format.js';
import { exportFormats, importFormats } from '../registry.js';

const writer = (name: string): ExportFormat => exportFormats.find(`Ultralytics YOLO ${name} 1.0`) as ExportFormat;
const reader = (name: string): ImportFormat => importFormats.find(`Ultralytics YOLO ${name} 1.0`) as ImportFormat;

const labelOf = fc.constantFrom(2, 1);
const plain = (type: 'rectangle' | 'polygon'): fc.Arbitrary<Shape> =>
  fc
    .record({ points: pointsOf[type], frame: fc.nat(5), label_id: labelOf })
    .map(({ points, ...more }) => shapeOf(type, points, { ...more, source: 'file' }));

const config = 'names:\n  0: car\n  1: bus\npath: .\ntrain: train.txt\n';

describe('Ultralytics YOLO', () => {
  it.each([
    ['Detection', plain('rectangle')],
    ['Segmentation', plain('polygon')],
    ['Oriented Bounding Boxes', plain('rectangle')],
  ] as const)('round-trips what %s keeps', async (name, shape) => {
    await fc.assert(
      fc.asyncProperty(fc.array(shape, { maxLength: 6 }), async (list) => {
        const shapes = list.toSorted((a, b) => a.frame - b.frame);
        const data = await imported(reader(name), await exported(writer(name), { shapes }));
        expect(data.shapes).toEqual(shapes);
      }),
      { numRuns: 40 },
    );
  });

  it('round-trips rotated rectangles as oriented boxes', async () => {
    const rotation = fc.integer({ min: 0, max: 359 });
    await fc.assert(
      fc.asyncProperty(pointsOf.rectangle, rotation, async (points, angle) => {
        const shape = shapeOf('rectangle', points, { rotation: angle });
        const files = await exported(writer('Oriented Bounding Boxes'), { shapes: [shape] });
        const { shapes } = await imported(reader('Oriented Bounding Boxes'), files);
        const [found] = shapes;
        for (const [at, value] of points.entries()) expect(found?.points[at]).toBeCloseTo(value, 1);
        // Six decimals of the corners of a narrow box leave its direction uncertain.
        expect(Math.cos((((found?.rotation ?? 0) - angle) * Math.PI) / 180)).toBeGreaterThan(0.999);
      }),
      { numRuns: 40 },
    );
  });

  it('round-trips skeletons as poses', async () => {
    const element = (label_id: number, x: number, state: Partial<Shape> = {}): ShapeElement => {
      const { elements: _elements, ...rest } = shapeOf('points', [x, 10], { label_id, source: 'file', ...state });
      return rest;
    };
    const skeleton = shapeOf('skeleton', [], {
      label_id: 3,
      source: 'file',
      elements: [element(4, 5, { occluded: true }), element(5, 20, { outside: true })],
    });
    const files = await exported(writer('Pose'), { shapes: [skeleton] });
    expect(files.text('data.yaml')).toContain('kpt_shape:\n');
    expect((await imported(reader('Pose'), files)).shapes).toEqual([skeleton]);
  });

  it('joins the boxes of a track', async () => {
    const keyframes = [
      { frame: 1, points: [1, 1, 9, 9] },
      { frame: 3, points: [3, 1, 11, 9] },
      { frame: 4, points: [3, 1, 11, 9], outside: true },
    ];
    const files = await exported(writer('Detection Track'), { tracks: [trackOf(keyframes)] });
    const { shapes, tracks } = await imported(reader('Detection'), files);
    expect(shapes).toEqual([]);
    const [track] = tracks;
    expect(track?.shapes.map(({ frame, points, outside }) => ({ frame, points, outside }))).toEqual([
      { frame: 1, points: [1, 1, 9, 9], outside: false },
      { frame: 2, points: [2, 1, 10, 9], outside: false },
      { frame: 3, points: [3, 1, 11, 9], outside: false },
      { frame: 4, points: [3, 1, 11, 9], outside: true },
    ]);
  });

  it('reads the layout with a folder per subset, and names as a list', async () => {
    const files = MemoryFiles.of({
      'set/data.yaml': 'names: [car]\nnc: 1\nval: val/images\n',
      'set/val/labels/a.txt': '0 0.5 0.5 0.5 0.5\n',
    });
    expect((await imported(reader('Detection'), files)).shapes).toMatchObject([{ points: [16, 12, 48, 36] }]);
    expect(reader('Detection').imageAt('set/val/images/a.jpg')).toEqual({ subset: 'val', name: 'a.jpg' });
    expect(reader('Detection').imageAt('images/val/b/a.jpg')).toEqual({ subset: 'val', name: 'b/a.jpg' });
    expect(reader('Detection').imageAt('images/val/readme')).toBeUndefined();
  });

  it.each([
    ['Detection', config, '0 0.5 0.5 0.5', 'labels/train/a.txt, line 1: Unexpected field count 4'],
    ['Detection', config, '\n0 0.5 0.5 0.5 NaN', 'labels/train/a.txt, line 2: '],
    ['Detection', config, '0 0.5 0.5 0.5 1e999', 'a field that is not a number'],
    ['Detection', config, '7 0.5 0.5 0.5 0.5', 'data.yaml has no class 7'],
    ['Detection', config, '1 0.5 0.5 0.5 0.5', "labels/train/a.txt, line 1: there is no label 'bus' to import it to"],
    ['Segmentation', config, '0 0.1 0.1 0.2 0.2', 'a polygon needs more than 4 coordinates'],
    ['Oriented Bounding Boxes', config, '0 0.1 0.1 0.2 0.2', 'four corners and a track id are not 4 numbers'],
    ['Pose', config, '0 0.1', 'data.yaml: kpt_shape is missing'],
    ['Detection', `${config}kpt_shape: [1, 3]\n`, '0 0 0 0 0', 'kpt_shape belongs to Ultralytics YOLO Pose'],
    ['Pose', `${config}kpt_shape: [1, 9]\n`, '0 0.1', 'kpt_shape is not a number of points, and 2 or 3'],
    ['Pose', `${config}kpt_shape: [1, 3]\n`, '0 0.5 0.5 0 0 0.1 0.1 2', "the label 'car' is not a skeleton"],
    ['Detection', 'names: [', '', 'data.yaml: the file is not YAML'],
    ['Detection', '- car', '', 'data.yaml: the file has no keys'],
    ['Detection', 'path: .', '', 'data.yaml: "names" is not a list or map of labels'],
    ['Detection', 'a: &a [x, x]\nnames: [*a, *a]', '', 'data.yaml: the file is not YAML'],
  ])('rejects bad input of %s: %j %j', async (name, yaml, line, message) => {
    const files = MemoryFiles.of({ 'data.yaml': yaml, 'labels/train/a.txt': line });
    await expect(imported(reader(name), files)).rejects.toThrow(message);
    await expect(imported(reader(name), files)).rejects.toMatchObject({ name: 'FormatError' });
  });

  it('rejects an archive without configuration, and subsets named like its keys', async () => {
    await expect(imported(reader('Detection'), MemoryFiles.of({ 'a.txt': '' }))).rejects.toThrow(
      'Dataset must contain a file: "*.yaml"',
    );
    const dataset = datasetOf({ ...testTask, subset: 'names' });
    await expect(exported(writer('Detection'), {}, dataset)).rejects.toThrow(
      "Can't export 'names' subset in YOLO format, this word is reserved.",
    );
  });
});
