import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  shapeOf,
  testLabels,
  testTask,
  testTarget,
  trackOf,
} from '../../../../../test/support/datasets.js';
import type { Shape } from '../../../../shared/annotations/model.js';
import { skeletonsOf } from '../items/skeletons.js';
import { cocoKeypointsExport } from './export.js';
import { cocoKeypointsImport } from './import.js';

const FILE = 'annotations/person_keypoints_default.json';

interface Document {
  categories: Record<string, unknown>[];
  images: { id: number; file_name: string }[];
  annotations: Record<string, unknown>[];
}

const parsed = (files: MemoryFiles, path = FILE): Document => JSON.parse(files.text(path)) as Document;

const elementOf = (label_id: number, [x, y]: readonly [number, number], state: 0 | 1 | 2, frame: number) => ({
  ...shapeOf('points', [x, y], { label_id, frame, source: 'file' }),
  outside: state === 0,
  occluded: state === 1,
});

const body = (points: readonly (readonly [number, number])[], states: readonly (0 | 1 | 2)[], frame = 0): Shape =>
  shapeOf('skeleton', [], {
    label_id: 3,
    frame,
    source: 'file',
    elements: points.map((point, at) => elementOf(4 + at, point, states[at] ?? 2, frame)),
  });

const point = fc.tuple(fc.nat(6400), fc.nat(4800)).map(([x, y]) => [x / 100, y / 100] as const);
const bodies = fc
  .array(
    fc.record({
      points: fc.tuple(point, point),
      states: fc.tuple(fc.constantFrom(0, 1, 2), fc.constantFrom(0, 1, 2)),
      frame: fc.nat(5),
    }),
    { maxLength: 6 },
  )
  .map((all) =>
    all.toSorted((a, b) => a.frame - b.frame).map(({ points, states, frame }) => body(points, states, frame)),
  );

const withoutIds = (shapes: readonly Shape[]): object[] =>
  shapes.map(({ frame, label_id, group, type, elements }) => ({
    frame,
    label_id,
    group,
    type,
    elements: elements.map((element) => [element.label_id, element.points, element.outside, element.occluded]),
  }));

describe('COCO Keypoints', () => {
  it('tells images apart whose names differ in their extension only', async () => {
    const names = ['same.jpg', 'same.png'];
    const frames = testTask.frames.map((frame, at) => ({ ...frame, name: names[at] ?? frame.name }));
    const shapes = names.map((_, frame) =>
      body(
        [
          [1, 2],
          [3, 4],
        ],
        [2, 2],
        frame,
      ),
    );
    const files = await exported(cocoKeypointsExport, { shapes }, datasetOf({ ...testTask, frames }));
    const back = await imported(cocoKeypointsImport, files, { ...testTarget, frames });
    expect(back.shapes.map(({ frame }) => frame)).toEqual([0, 1]);
  });

  it('round-trips skeletons', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, async (shapes) => {
        const data = await imported(cocoKeypointsImport, await exported(cocoKeypointsExport, { shapes }));
        expect(withoutIds(data.shapes)).toEqual(withoutIds(shapes));
        expect(data.tracks).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('numbers categories by the position of their labels, and images by name', async () => {
    const tasks = ['train', 'val'].map((subset, at) => ({ ...testTask, subset, frames: testTask.frames.slice(at) }));
    const files = await exported(cocoKeypointsExport, {}, { ...datasetOf(testTask, 'project'), tasks });
    const { categories, images } = parsed(files, 'annotations/person_keypoints_val.json');
    expect(categories.map(({ id, name, keypoints }) => [id, name, keypoints])).toEqual([
      [1, 'car', []],
      [2, 'person & "friend"', []],
      [3, 'body', ['head', 'hand']],
    ]);
    expect(images.map(({ id }) => id)).toEqual([2, 3, 4, 5, 6]);
  });

  it('joins the shapes of a group with its skeleton', async () => {
    const shapes = [
      { ...body([[10, 10], [20, 12]], [2, 0]), group: 4 }, // prettier-ignore
      shapeOf('rectangle', [5, 5, 15, 30], { group: 4, label_id: 1 }),
      shapeOf('polygon', [8, 8, 12, 8, 12, 12], { group: 4 }),
      shapeOf('rectangle', [0, 0, 50, 40]),
    ];
    const files = await exported(cocoKeypointsExport, { shapes });
    expect(parsed(files).annotations).toMatchObject([
      {
        category_id: 3,
        bbox: [5, 5, 10, 25],
        area: 8,
        segmentation: [[8, 8, 12, 8, 12, 12]],
        keypoints: [10, 10, 2, 20, 12, 0],
        num_keypoints: 1,
        attributes: { occluded: false, keyframe: false },
      },
    ]);
    const { shapes: back } = await imported(cocoKeypointsImport, files);
    expect(back.map(({ type, group, label_id }) => [type, group, label_id])).toEqual([['skeleton', 1, 3], ['polygon', 1, 3]]); // prettier-ignore
  });

  it('numbers the groups of an image on, in whatever order its objects are', async () => {
    const segmentation = [[1, 1, 9, 1, 9, 9]];
    const object = { category_id: 1, keypoints: [1, 1, 2, 2, 2, 2], segmentation };
    const { shapes } = await read({
      annotations: [
        { ...object, image_id: 1 },
        { ...object, image_id: 2 },
        { ...object, image_id: 1 },
      ],
    });
    expect(shapes.map(({ frame, group }) => [frame, group])).toEqual([[0, 1], [0, 1], [1, 1], [1, 1], [0, 2], [0, 2]]); // prettier-ignore
  });

  it('round-trips tracks with the visibility of their elements', async () => {
    const parts = [4, 5].map((label_id) =>
      trackOf(
        [0, 1, 2].map((frame) => ({
          frame,
          type: 'points' as const,
          points: [frame, label_id],
          outside: frame === 1 && label_id === 5,
        })),
        { label_id },
      ),
    );
    const keyframes = [0, 1, 2].map((frame) => ({ frame, type: 'skeleton' as const, points: [] }));
    const track = trackOf([...keyframes, { frame: 3, type: 'skeleton', points: [], outside: true }], {
      label_id: 3,
      elements: parts,
    });
    const { tracks, shapes } = await imported(
      cocoKeypointsImport,
      await exported(cocoKeypointsExport, { tracks: [track] }),
    );
    expect(shapes).toEqual([]);
    expect(tracks[0]?.shapes.map(({ frame, outside }) => [frame, outside])).toEqual([[0, false], [1, false], [2, false], [3, true]]); // prettier-ignore
    expect(tracks[0]?.elements[1]?.shapes.slice(0, 3).map(({ outside }) => outside)).toEqual([false, true, false]);
  });

  const categories = [{ id: 1, name: 'body', keypoints: ['head', 'hand'], skeleton: [[1, 2]] }];
  const images = [{ id: 1, file_name: 'a.jpg' }, { id: 2, file_name: 'b.jpg' }]; // prettier-ignore
  const read = (document: object | string | Uint8Array) => {
    const isText = typeof document === 'string' || document instanceof Uint8Array;
    return imported(
      cocoKeypointsImport,
      MemoryFiles.of({ 'a.json': isText ? document : JSON.stringify({ categories, images, ...document }) }),
    );
  };

  it('finds skeletons in the categories, with a drawing', async () => {
    const annotations = [{ image_id: 1, category_id: 1, attributes: { age: 'x', track_id: 1 } }];
    const text = JSON.stringify({ categories: [...categories, { id: 2, name: 'car' }], images, annotations });
    const [skeleton, car] = (await cocoKeypointsImport.labels?.(MemoryFiles.of({ [FILE]: text }))) ?? [];
    expect(car).toEqual({ name: 'car', attributes: [] });
    expect(skeleton).toMatchObject({
      type: 'skeleton',
      attributes: [{ name: 'age' }],
      sublabels: [{ name: 'head' }, { name: 'hand' }],
    });
    const drawn = testLabels.map((label) => (label.id === 3 ? { ...label, svg: skeleton?.svg ?? '' } : label));
    const { elements = [], edges } = skeletonsOf(drawn).get(3) ?? {};
    expect([elements.map(({ name }) => name), edges]).toEqual([['head', 'hand'], [[1, 2]]]); // prettier-ignore
  });

  it('reads masks, and ignores boxes and images of other subsets', async () => {
    const rle = { size: [48, 64], counts: [0, 2, 3070] };
    const { shapes } = await read({
      annotations: [
        { image_id: 1, category_id: 1, segmentation: rle },
        { image_id: 1, category_id: 1, bbox: [1, 2, 3, 4] },
      ],
    });
    expect(shapes).toMatchObject([{ type: 'mask', points: [0, 2, 0, 0, 0, 1], group: 0 }]);
    const files = await exported(cocoKeypointsExport, { shapes: [body([[1, 1], [2, 2]], [2, 2])] }); // prettier-ignore
    expect((await imported(cocoKeypointsImport, files, { ...testTarget, subset: 'val' })).shapes).toEqual([]);
    expect(cocoKeypointsImport.imageAt('x/images/train/a/b.jpg')).toEqual({ subset: 'train', name: 'a/b.jpg' });
    expect(cocoKeypointsImport.imageAt(FILE)).toBeUndefined();
  });

  const object = { image_id: 1, category_id: 1, keypoints: [1, 1, 2, 2, 2, 2] };
  const AT = 'a.json, annotations[0]';

  it.each<[object | string | Uint8Array, string]>([
    [
      { annotations: [{ ...object, keypoints: [1, 1] }] },
      `${AT}: Keypoints have invalid value count 2, which is not divisible by 3. Expected (x, y, visibility) triplets.`,
    ],
    [
      { annotations: [{ ...object, keypoints: [1, 1, 2, 2, 2, 2, 3, 3, 2] }] },
      `${AT}: the category 'body' has only 2 keypoints, not 3`,
    ],
    [{ annotations: [{ ...object, keypoints: [1, null, 2] }] }, `${AT}: keypoints is not a list of numbers`],
    [
      { annotations: [{ ...object, keypoints: [1, 1e200, 2] }] },
      `${AT}: a points has a coordinate that is beyond what annotations may have`,
    ],
    [{ annotations: [{ ...object, image_id: 9 }] }, `${AT}: there is no image '9'`],
    [{ annotations: [{ ...object, category_id: 9 }] }, `${AT}: there is no category '9'`],
    [
      { annotations: [object], categories: [{ id: 1, name: 'tree', keypoints: ['a', 'b'] }] },
      `${AT}: there is no label 'tree' to import it to`,
    ],
    [
      { annotations: [object], categories: [{ id: 1, name: 'car', keypoints: ['a', 'b'] }] },
      `${AT}: the label 'car' is not a skeleton`,
    ],
    [
      { annotations: [object], categories: [{ id: 1, name: 'body', keypoints: ['a', 'b'] }] },
      `${AT}: the skeleton 'body' has no element 'a'`,
    ],
    [
      { annotations: [object], categories: [{ id: 1, name: 'body', keypoints: ['head', 'head'] }] },
      "a.json, categories[0]: the keypoint 'head' is listed twice",
    ],
    [
      { annotations: [object], images: [{ id: 1, file_name: '../zz.jpg' }] },
      "cvat.apps.dataset_manager.bindings.CvatImportError: Could not match item id: '../zz' with any task frame",
    ],
    ['{"annotations": [{"keypoints": [NaN]}]}', `${AT}, character 16: NaN is not JSON. Write a number or null`],
    ['{"annotations": [', 'a.json: this is not JSON with lists: it ends early'],
    ['{}', 'a.json: this is not COCO: it has no list annotations'],
    [Buffer.from([0x7b, 0xff]), 'a.json: the text is not UTF-8'],
  ])('reports the fault in %j', async (document, message) => {
    await expect(read(document)).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects archives without JSON', async () => {
    const outcome = imported(cocoKeypointsImport, MemoryFiles.of({ 'notes/readme.md': '' }));
    await expect(outcome).rejects.toThrow('Dataset must contain a file: "annotations/person_keypoints_*.json"');
  });
});
