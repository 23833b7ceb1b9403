import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  pixelsOf,
  plainLabel,
  pointsOf,
  shapeOf,
  testTarget,
  testTask,
  trackOf,
} from '../../../../test/support/datasets.js';
import { cocoExport } from './coco-export.js';
import { cocoImport } from './coco-import.js';

const FILE = 'annotations/instances_default.json';

interface Instances {
  categories: { id: number; name: string }[];
  images: { id: number; file_name: string }[];
  annotations: {
    image_id: number;
    category_id: number;
    segmentation: unknown;
    area: number;
    bbox: number[];
    iscrowd: number;
  }[];
}

const parsed = (files: MemoryFiles): Instances => JSON.parse(files.text(FILE)) as Instances;

describe('COCO', () => {
  it('round-trips rectangles and polygons', async () => {
    const shape = fc.constantFrom('rectangle' as const, 'polygon' as const).chain((type) =>
      fc
        .record({ points: pointsOf[type], occluded: fc.boolean(), parked: fc.boolean(), model: fc.string() })
        .map((drawn) =>
          shapeOf(type, drawn.points, {
            label_id: 1,
            source: 'file',
            occluded: drawn.occluded,
            attributes: [
              { spec_id: 11, value: drawn.model },
              { spec_id: 12, value: String(drawn.parked) },
            ],
          }),
        ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(shape, { maxLength: 6 }), async (shapes) => {
        const data = await imported(cocoImport, await exported(cocoExport, { shapes }));
        const rounded = data.shapes.map((back) => ({
          ...back,
          points: back.points.map((value) => Math.round(value * 100) / 100),
        }));
        expect(rounded).toEqual(shapes);
      }),
      { numRuns: 60 },
    );
  });

  it('round-trips masks, rotation, and objects of several polygons', async () => {
    const [one, two] = [pointsOf.polygon, pointsOf.polygon].map(
      (arbitrary) => fc.sample(arbitrary, { numRuns: 1, seed: 1 })[0],
    );
    const shapes = [
      shapeOf('mask', [1, 3, 2, 3, 3, 4]),
      shapeOf('rectangle', [1, 2, 3, 4], { rotation: 30 }),
      shapeOf('polygon', one ?? [], { group: 7 }),
      shapeOf('polygon', two ?? [], { group: 7 }),
    ];
    const files = await exported(cocoExport, { shapes });
    expect(parsed(files).annotations).toHaveLength(3);
    const data = await imported(cocoImport, files);
    expect(data.shapes.map(({ type, rotation, group }) => ({ type, rotation, group }))).toEqual([
      { type: 'mask', rotation: 0, group: 0 },
      { type: 'rectangle', rotation: 30, group: 0 },
      { type: 'polygon', rotation: 0, group: 1 },
      { type: 'polygon', rotation: 0, group: 1 },
    ]);
    expect(pixelsOf(data.shapes[0]?.points ?? [])).toEqual(pixelsOf([1, 3, 2, 3, 3, 4]));
  });

  it('round-trips tracks and crowds', async () => {
    const crowd = {
      id: 30,
      name: 'is_crowd',
      mutable: false,
      inputType: 'checkbox',
      defaultValue: 'false',
      values: [],
    };
    const labels = [{ ...plainLabel(2, 'people'), attributes: [crowd] }];
    const dataset = { ...datasetOf(testTask), labels };
    const keyframes = [0, 2].map((frame) => ({ frame, points: [frame, 0, frame + 10, 10] }));
    const tracks = [trackOf([...keyframes, { frame: 4, points: [2, 0, 12, 10], outside: true }])];
    const shapes = ['true', 'false'].map((value, frame) =>
      shapeOf('polygon', [0, 0, 3, 0, 3, 1, 0, 1], { frame, attributes: [{ spec_id: 30, value }] }),
    );
    const files = await exported(cocoExport, { tracks, shapes }, dataset);
    const back = await imported(cocoImport, files, { ...testTarget, labels });
    expect(back.shapes.map(({ type, attributes }) => [type, attributes[0]?.value])).toEqual([
      ['mask', 'true'],
      ['polygon', 'false'],
    ]);
    const found = back.tracks.map((track) =>
      track.shapes.map(({ frame, outside, points: [x] }) => [frame, outside, x]),
    );
    expect(found).toEqual([[[0, false, 0], [2, false, 2], [4, true, 2]]]); // prettier-ignore
  });

  it('writes a group as one object, with the largest shape and the box of all', async () => {
    const shapes = [
      shapeOf('rectangle', [2.5, 3.25, 20.75, 15.5], { group: 3, label_id: 1 }),
      shapeOf('rectangle', [10, 10, 30, 20], { group: 3, rotation: 30 }),
      shapeOf('polygon', [3, 3, 20, 3, 20, 15, 3, 15], { group: 5 }),
      shapeOf('rectangle', [3, 3, 20, 16], { group: 5, label_id: 1 }),
      shapeOf('mask', [0, 4, 0, 0, 1, 1], { group: 6 }),
      shapeOf('polygon', [0, 0, 3, 0, 3, 1, 0, 1], { group: 6 }),
    ];
    const { annotations } = parsed(await exported(cocoExport, { shapes }));
    expect(annotations).toMatchObject([
      { category_id: 1, segmentation: [], area: 460.63, bbox: [2.5, 3.25, 27.5, 16.75], iscrowd: 0 },
      { category_id: 1, segmentation: [[3, 3, 20, 3, 20, 15, 3, 15]], area: 204, bbox: [3, 3, 17, 13], iscrowd: 0 },
      { category_id: 2, segmentation: { counts: [0, 2, 46, 2, 46, 1, 2975] }, area: 5, bbox: [0, 0, 3, 2], iscrowd: 1 },
    ]);
  });

  it('converts masks to polygons on request, in one group per object', async () => {
    const mask = {
      image_id: 1,
      category_id: 1,
      iscrowd: 1,
      segmentation: { size: [48, 64], counts: [0, 2, 94, 1, 2975] },
    };
    const files = await exported(cocoExport, { shapes: [shapeOf('rectangle', [1, 2, 3, 4])] });
    const { annotations: _, ...rest } = parsed(files);
    const changed = new MemoryFiles();
    await changed.addFile(FILE, Buffer.from(JSON.stringify({ ...rest, annotations: [mask] })));
    const kept = await imported(cocoImport, changed);
    expect(kept.shapes.map(({ type }) => type)).toEqual(['mask']);
    const data = await imported(cocoImport, changed, { ...testTarget, masksToPolygons: true });
    expect(data.shapes).toMatchObject([
      { type: 'polygon', group: 1, points: [1, 0, 1, 2, 0, 2, 0, 0] },
      { type: 'polygon', group: 1, points: [3, 0, 3, 1, 2, 1, 2, 0] },
    ]);
  });

  it('writes ellipses as polygons, and skips shapes without area', async () => {
    const shapes = [
      shapeOf('ellipse', [30, 20, 40, 15], { rotation: 90 }),
      shapeOf('points', [1, 1]),
      shapeOf('polyline', [1, 1, 2, 2]),
      shapeOf('mask', [0, 1, 100, 100, 100, 100]),
    ];
    const { annotations } = parsed(await exported(cocoExport, { shapes }));
    expect(annotations).toHaveLength(1);
    expect(annotations[0]?.area).toBeCloseTo(Math.PI * 50, 0);
    expect(annotations[0]?.bbox).toEqual([25, 10, 10, 20]);
  });

  it('writes the lists that readers of the format expect', async () => {
    const track = trackOf([{ frame: 1 }, { frame: 3, outside: true }]);
    const files = await exported(cocoExport, {
      tracks: [track],
      shapes: [shapeOf('rectangle', [1, 2, 3.5, 4], { frame: 5 })],
    });
    const { categories, images, annotations } = parsed(files);
    expect(categories.map(({ id, name }) => [id, name])).toEqual([
      [1, 'car'],
      [2, 'person & "friend"'],
      [3, 'body'],
      [4, 'head'],
      [5, 'hand'],
    ]);
    expect(categories[4]).toMatchObject({ supercategory: 'body' });
    expect(images[2]).toMatchObject({ id: 3, file_name: 'sub/c.jpg', width: 64, height: 48 });
    expect(annotations.map((annotation) => annotation.image_id)).toEqual([2, 3, 6]);
    expect(annotations[0]).toMatchObject({ attributes: { track_id: 0, occluded: false, keyframe: true } });
    expect(annotations[2]).toEqual({
      id: 3,
      image_id: 6,
      category_id: 2,
      segmentation: [],
      area: 5,
      bbox: [1, 2, 2.5, 2],
      iscrowd: 0,
      attributes: { occluded: false, rotation: 0 },
    });
  });

  it('tells images apart whose names differ in their extension only', async () => {
    const names = ['same.jpg', 'same.png'];
    const frames = testTask.frames.map((frame, at) => ({ ...frame, name: names[at] ?? frame.name }));
    const shapes = names.map((_, frame) => shapeOf('rectangle', [1, 2, 3, 4], { label_id: 1, frame }));
    const files = await exported(cocoExport, { shapes }, datasetOf({ ...testTask, frames }));
    const back = await imported(cocoImport, files, { ...testTarget, frames });
    expect(back.shapes.map(({ frame }) => frame)).toEqual([0, 1]);
  });

  it('writes one file per subset', async () => {
    const tasks = ['train', 'val'].map((subset) => ({ ...testTask, subset }));
    const dataset = { ...datasetOf(testTask, 'project'), tasks };
    const files = await exported(cocoExport, { shapes: [shapeOf('rectangle', [1, 2, 3, 4])] }, dataset);
    expect(files.paths).toEqual(['annotations/instances_train.json', 'annotations/instances_val.json']);
    const target = { labels: dataset.labels, frames: testTask.frames, mode: 'annotation' as const, subset: 'val' };
    expect((await imported(cocoImport, files, target)).shapes).toHaveLength(1);
  });
});

describe('COCO import', () => {
  const categories = [{ id: 1, name: 'car' }];
  const images = [{ id: 'x', file_name: 'other/b.jpg' }];
  const read = (document: unknown) =>
    imported(
      cocoImport,
      MemoryFiles.of({ 'a.json': typeof document === 'string' ? document : JSON.stringify(document) }),
    );
  const annotated = (...annotations: unknown[]) => read({ annotations, categories, images });

  it.each([[[[]]], [[]], [[[], []]], [null], [undefined]])(
    'takes the box of an object with the outline %j',
    async (segmentation) => {
      const bbox = [1, 2, 3, 4];
      const file = JSON.stringify({
        annotations: [{ image_id: 'x', category_id: 1, segmentation, bbox }],
        categories,
        images,
      });
      const { shapes } = await imported(cocoImport, MemoryFiles.of({ 'a.json': file }));
      expect(shapes).toMatchObject([{ type: 'rectangle', points: [1, 2, 4, 6], group: 0 }]);
    },
  );

  it('skips outlines without points', async () => {
    const segmentation = [[], [1, 1, 3, 1, 3, 3]];
    const file = JSON.stringify({ annotations: [{ image_id: 'x', category_id: 1, segmentation }], categories, images });
    const { shapes } = await imported(cocoImport, MemoryFiles.of({ 'a.json': file }));
    expect(shapes).toMatchObject([{ type: 'polygon', points: segmentation[1], group: 0 }]);
  });

  it('finds labels in the categories, with attributes from the annotations', async () => {
    const annotations = [
      {
        image_id: 'x',
        category_id: 9,
        attributes: { occluded: true, rotation: 0, make: 'vw', parked: false, year: 1999 },
      },
      { image_id: 'x', category_id: 9, attributes: { make: 'true', doors: null } },
      { image_id: 'x', category_id: 77, attributes: { x: 1 } },
    ];
    const file = JSON.stringify({ annotations, categories: [{ id: 9, name: 'car' }, { id: 3, name: 'tree' }] }); // prettier-ignore
    const attribute = { mutable: false, default_value: '', values: [''] };
    expect(await cocoImport.labels?.(MemoryFiles.of({ 'instances_a.json': file, 'instances_b.json': file }))).toEqual([
      { name: 'car', attributes: [
        { ...attribute, name: 'make', input_type: 'text' },
        { ...attribute, name: 'parked', input_type: 'checkbox' },
        { ...attribute, name: 'year', input_type: 'text' },
      ] },
      { name: 'tree', attributes: [] },
    ]); // prettier-ignore
  });

  it('keeps the objects of several files apart', async () => {
    const segmentation = [[1, 1, 3, 1, 3, 3], [5, 5, 7, 5, 7, 7]]; // prettier-ignore
    const file = JSON.stringify({ annotations: [{ image_id: 'x', category_id: 1, segmentation }], categories, images });
    const { shapes } = await imported(
      cocoImport,
      MemoryFiles.of({ 'annotations/instances_a.json': file, 'annotations/instances_b.json': file }),
    );
    expect(shapes.map(({ group }) => group)).toEqual([1, 1, 2, 2]);
  });

  it('reads annotations that precede what they refer to', async () => {
    const { shapes } = await annotated({ image_id: 'x', category_id: 1, bbox: [1, 2, 3, 4], extra: { a: '"}' } });
    expect(shapes).toMatchObject([{ frame: 1, type: 'rectangle', points: [1, 2, 4, 6], source: 'file', group: 0 }]);
  });

  const box = { image_id: 'x', category_id: 1, bbox: [1, 2, 3, 4] };

  it.each<[unknown, string]>([
    ['', 'a.json: this is not JSON with lists: it ends early'],
    ['[]', "a.json: this is not JSON with lists: '{' is missing before '['"],
    ['{"annotations": 5}', 'a.json: annotations is not a list'],
    ['{"annotations": [{"id": 1]}', 'a.json, annotations[0]: this is not JSON'],
    ['{"annotations": [{"id": 1}', 'a.json: this is not JSON with lists: it ends early'],
    ['{"annotations": [{"id" 1}]}', 'a.json, annotations[0]: this is not JSON'],
    ['{"annotations": []} x', 'a.json: this is not JSON with lists: there is text after its end'],
    ['{"version": 0, "shapes": []}', 'a.json: this is not COCO: it has no list annotations'],
    [
      `{"annotations": [{"a": ${'['.repeat(2e6)}${']'.repeat(2e6)}}]}`,
      'a.json, annotations[0]: this is nested more than 64 deep',
    ],
    ['{"annotations": [7]}', 'a.json, annotations[0]: this is not an object'],
    [{ categories, images, annotations: [{ ...box, image_id: 9 }] }, "a.json, annotations[0]: there is no image '9'"],
    [
      { categories, images, annotations: [{ ...box, category_id: 9 }] },
      "a.json, annotations[0]: there is no category '9'",
    ],
    [
      { categories: [{ id: 1, name: 'cat' }], images, annotations: [box] },
      "a.json, annotations[0]: there is no label 'cat' to import it to",
    ],
    [
      { categories, images: [{ id: 'x', file_name: 's0.png' }], annotations: [box] },
      "cvat.apps.dataset_manager.bindings.CvatImportError: Could not match item id: 's0' with any task frame",
    ],
    [
      { categories, images, annotations: [box, { ...box, bbox: [1, 2] }] },
      'a.json, annotations[1]: bbox does not have four numbers',
    ],
    [
      { categories, images, annotations: [{ ...box, bbox: null }] },
      'a.json, annotations[0]: bbox is not a list of numbers',
    ],
    [
      { categories, images, annotations: [{ ...box, segmentation: [[1, 2, 3, 4]] }] },
      "a.json, annotations[0]: invalid length for shape type 'polygon'",
    ],
    [
      { categories, images, annotations: [{ ...box, segmentation: { size: [9, 9], counts: [81] } }] },
      'a.json, annotations[0]: the mask is made for 9 x 9 pixels, the image has 64 x 48',
    ],
    [
      { categories, images, annotations: [{ ...box, segmentation: { size: [48, 64], counts: [81] } }] },
      'a.json, annotations[0]: run lengths add up to 81 pixels, not to 48 x 64',
    ],
    [
      { categories, images, annotations: [{ ...box, segmentation: { size: [48, 64], counts: '~' } }] },
      'a.json, annotations[0]: counts are not compressed run lengths',
    ],
    [
      { categories, images, annotations: [{ image_id: 'x', bbox: [1, 2, 3, 4] }] },
      'a.json, annotations[0]: it has no category_id',
    ],
    [{ categories, images, annotations: [{ category_id: 1 }] }, 'a.json, annotations[0]: it has no image_id'],
    [
      '{"annotations": [{"a": "NaN \\" NaN", "bbox": [1, NaN]}]}',
      'a.json, annotations[0], character 33: NaN is not JSON. Write a number or null',
    ],
    [
      '{"annotations": [{"score": -Infinity}]}',
      'a.json, annotations[0], character 11: -Infinity is not JSON. Write a number or null',
    ],
  ])('reports the fault in %j', async (document, message) => {
    await expect(read(document)).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('fails only with a FormatError', async () => {
    const good = JSON.stringify({
      categories,
      images,
      annotations: [
        box,
        { ...box, segmentation: { size: [48, 64], counts: [0, 3072] } },
        { ...box, segmentation: [[1, 2, 3, 4, 5, 6]] },
      ],
    });
    const damage = fc.record({
      at: fc.nat(good.length - 1),
      cut: fc.nat(12),
      put: fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('"', '[', '}', '-', '9e999', 'null', '\\')),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, cut, put }) => {
        const outcome = await read(good.slice(0, at) + put + good.slice(at + cut)).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toMatchObject({ name: 'FormatError' });
      }),
      { numRuns: 400 },
    );
  });
});
