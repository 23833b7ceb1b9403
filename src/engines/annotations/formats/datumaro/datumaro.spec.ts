import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCuboids, cloudDataset, cloudTarget, cloudTask, cloudTrack, sortedShapes } from '../../../../../test/support/cloud-datasets.js'; // prettier-ignore
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
import type { Shape, ShapeType } from '../../../../shared/annotations/model.js';
import { datumaro3dExport, datumaroExport } from './export.js';
import { datumaro3dImport, datumaroImport } from './import.js';

const kinds = ['rectangle', 'ellipse', 'polygon', 'polyline', 'points', 'mask'] as const satisfies ShapeType[];

const carAttributes = fc
  .record({ model: fc.string({ maxLength: 8 }), parked: fc.boolean() })
  .map(({ model, parked }) => [
    { spec_id: 11, value: model },
    { spec_id: 12, value: String(parked) },
  ]);

/** A shape as the format keeps it: only rectangles and ellipses have a rotation. */
const anyShape: fc.Arbitrary<Shape> = fc.constantFrom(...kinds).chain((type) =>
  fc
    .record({
      // The box of an ellipse has two decimals, so its centre can have more.
      points: type === 'ellipse' ? pointsOf.ellipse.map((points) => points.map(Math.round)) : pointsOf[type],
      frame: fc.nat(5),
      attributes: carAttributes,
      occluded: fc.boolean(),
      z_order: fc.integer({ min: -3, max: 3 }),
      rotation: type === 'rectangle' || type === 'ellipse' ? fc.integer({ min: 0, max: 359 }) : fc.constant(0),
    })
    .map(({ points, ...more }) => shapeOf(type, points, { ...more, label_id: 1, source: 'file' })),
);

/** Masks without pixels cannot be written. */
const hasPixels = ({ type, points }: Shape): boolean =>
  type !== 'mask' || points.slice(0, -4).some((count, at) => at % 2 === 1 && count > 0);

/** Masks become as small as possible. */
const comparable = (shapes: readonly Shape[]): unknown =>
  shapes
    .map(({ type, points, ...rest }) => ({
      type,
      points: type === 'mask' ? 'pixels' : points.map((value) => value + 0),
      ...rest,
    }))
    .toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));

const orderOf = ({ frame, z_order, type, points, attributes }: Omit<Shape, 'points'> & { points: unknown }): string =>
  JSON.stringify([frame, z_order, type, points, attributes]);

describe('Datumaro', () => {
  it('round-trips every kind of shape with attributes, layers and rotation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyShape.filter(hasPixels), { maxLength: 6 }), async (list) => {
        const shapes = list.toSorted((a, b) => a.frame - b.frame);
        const data = await imported(datumaroImport, await exported(datumaroExport, { shapes }));
        expect(comparable(data.shapes)).toEqual(comparable(shapes));
      }),
      { numRuns: 60 },
    );
  });

  it('round-trips tags, groups, skeletons and tracks', async () => {
    const group = { group: 1, source: 'file' };
    const shapes = [shapeOf('rectangle', [1, 1, 5, 5], group), shapeOf('polygon', [1, 1, 5, 5, 1, 5], group)];
    const { elements: _elements, ...point } = shapeOf('points', [4, 5], { source: 'file' });
    const skeleton = shapeOf('skeleton', [], {
      label_id: 3,
      source: 'file',
      elements: [
        { ...point, label_id: 4, occluded: true },
        { ...point, label_id: 5, outside: true },
      ],
    });
    const tags = [{ id: null, frame: 2, label_id: 2, group: 0, source: 'file', attributes: [] }];
    const keyframes = [
      { frame: 1, points: [1, 1, 9, 9] },
      { frame: 3, points: [3, 1, 11, 9], occluded: true },
      { frame: 5, points: [3, 1, 11, 9], occluded: true, outside: true },
    ];
    const tracks = [trackOf(keyframes, { source: 'file' })];
    const files = await exported(datumaroExport, { tags, shapes: [...shapes, skeleton], tracks });
    const data = await imported(datumaroImport, files);
    expect(data).toMatchObject({ tags, shapes: [...shapes, skeleton], tracks });
  });

  it('reads a single JSON file, and only the wanted subset of several', async () => {
    const item = { id: 'a', annotations: [{ type: 'label', label_id: 0 }] };
    const text = JSON.stringify({ categories: { label: { labels: [{ name: 'car' }] } }, items: [item] });
    expect((await imported(datumaroImport, MemoryFiles.of({ 'x.json': text }))).tags).toHaveLength(1);
    const files = MemoryFiles.of({ 'annotations/train.json': text, 'annotations/val.json': text });
    expect((await imported(datumaroImport, files, { ...testTarget, subset: 'val' })).tags).toHaveLength(1);
    expect(await datumaroImport.labels?.(files)).toMatchObject([{ name: 'car' }]);
    expect(datumaroImport.imageAt('images/val/b/a.jpg')).toEqual({ subset: 'val', name: 'b/a.jpg' });
  });

  it('writes labels of a project without tasks', async () => {
    const files = await exported(datumaroExport, {}, { ...datasetOf(testTask), kind: 'project', tasks: [] });
    expect(files.paths).toEqual(['annotations/default.json']);
  });

  const document = (annotation: object, id: unknown = 'a'): string =>
    JSON.stringify({
      categories: { label: { labels: [{ name: 'car' }, { name: 'body' }] } },
      items: [{ id, annotations: [annotation] }],
    });

  it.each([
    [document({ type: 'cuboid', label_id: 0 }), "default.json, items[0]: there is no type 'cuboid' of annotations"],
    [document({ type: 'bbox', label_id: 7, bbox: [1, 1, 1, 1] }), "there is no label number '7' in the file"],
    [document({ type: 'bbox', label_id: 0, bbox: [1, 1, 1] }), 'bbox does not have 4 numbers'],
    [document({ type: 'bbox', label_id: 0, bbox: ['1', 1, 1, 1] }), 'bbox is not a list of numbers'],
    [document({ type: 'polygon', label_id: 0, points: [1, 1] }), "invalid length for shape type 'polygon'"],
    [document({ type: 'mask', label_id: 0, rle: { counts: 'x', size: [1, 1] } }), 'the mask is made for 1 x 1 pixels'],
    [
      document({ type: 'mask', label_id: 0, rle: { counts: [1], size: [48, 64] } }),
      'counts are not compressed run lengths',
    ],
    [document({ type: 'skeleton', label_id: 0, points: [] }), "the label 'car' is not a skeleton"],
    [document({ type: 'skeleton', label_id: 1, points: [1, 1, 2] }), "the skeleton 'body' has 2 points, not 1"],
    [document({ type: 'label', label_id: 0, attributes: { parked: 'maybe' } }), "'parked'='maybe'"],
    [document({ type: 'label', label_id: 0 }, 'z'), "Could not match item id: 'z'"],
    [document({ type: 'label', label_id: 0 }, []), 'id is not a text'],
    ['{"items":[{"id":"a","annotations":[', 'it ends early'],
    ['{"items":[{"id":"a","annotations":7}]}', 'annotations is not a list'],
    ['{"items":[7]}', 'this is not an object'],
  ])('rejects %s', async (text, message) => {
    const files = MemoryFiles.of({ 'annotations/default.json': text });
    await expect(imported(datumaroImport, files)).rejects.toThrow(message);
    await expect(imported(datumaroImport, files)).rejects.toMatchObject({ name: 'FormatError' });
  });

  it('rejects an archive without annotations', async () => {
    await expect(imported(datumaroImport, MemoryFiles.of({ 'a.txt': '' }))).rejects.toThrow(
      'Dataset must contain a file: "annotations/*.json"',
    );
  });
});

describe('Datumaro 3D', () => {
  it('round-trips cuboids with attributes', async () => {
    await fc.assert(
      fc.asyncProperty(anyCuboids(true), async (shapes) => {
        const files = await exported(datumaro3dExport, { shapes }, cloudDataset);
        const data = await imported(datumaro3dImport, files, cloudTarget);
        expect(sortedShapes(data.shapes)).toEqual(sortedShapes(shapes));
      }),
      { numRuns: 40 },
    );
  });

  it('round-trips tags, groups and tracks', async () => {
    const [first] = cloudTrack.shapes;
    const group = { label_id: 2, group: 1, source: 'file' };
    const shapes = [shapeOf('cuboid', first?.points ?? [], group), shapeOf('cuboid', first?.points ?? [], group)];
    const tags = [{ id: null, frame: 2, label_id: 2, group: 0, source: 'file', attributes: [] }];
    const files = await exported(datumaro3dExport, { tags, shapes, tracks: [cloudTrack] }, cloudDataset);
    expect(await imported(datumaro3dImport, files, cloudTarget)).toMatchObject({ tags, shapes, tracks: [cloudTrack] });
  });

  it('leaves flat shapes out', async () => {
    const files = await exported(datumaro3dExport, { shapes: [shapeOf('rectangle', [1, 1, 5, 5])] }, cloudDataset);
    expect((await imported(datumaro3dImport, files, cloudTarget)).shapes).toEqual([]);
  });

  it('has context images in folders of their frames', () => {
    const [frame] = cloudTask.frames;
    if (frame === undefined) throw new Error('no frame');
    expect(datumaro3dExport.imagePath(frame, cloudTask, cloudDataset)).toBe('point_clouds/default/a.pcd');
    expect(datumaro3dExport.relatedPaths?.(frame, cloudDataset)).toEqual(['related_images/default/a/image_0.png']);
    const image = datumaro3dImport.imageAt('x/related_images/default/b/a/image_0.png');
    expect(image).toEqual({ subset: 'default', name: 'image_0.png', contextOf: 'b/a' });
    expect(datumaro3dImport.imageAt('point_clouds/val/b/a.pcd')).toEqual({ subset: 'val', name: 'b/a.pcd' });
    expect(datumaro3dImport.imageAt('images/val/a.png')).toBeUndefined();
  });

  it.each([
    [{ type: 'bbox', bbox: [1, 1, 1, 1] }, "there is no type 'bbox' of annotations of point clouds"],
    [
      { type: 'cuboid_3d', position: [1, 2], rotation: [0, 0, 0], scale: [1, 1, 1] },
      'position does not have 3 numbers',
    ],
    [{ type: 'cuboid_3d', position: [1, 2, null], rotation: [0, 0, 0] }, 'position is not a list of numbers'],
    [{ type: 'cuboid_3d', position: [1, 2, 3] }, 'rotation is not a list of numbers'],
    [{ type: 'cuboid_3d', position: [1e300, 2, 3], rotation: [0, 0, 0], scale: [1, 1, 1] }, 'a coordinate'],
  ])('rejects %j', async (annotation, message) => {
    const files = MemoryFiles.of({
      'annotations/default.json': JSON.stringify({
        categories: { label: { labels: [{ name: 'car' }] } },
        items: [{ id: 'a', annotations: [{ label_id: 0, ...annotation }] }],
      }),
    });
    await expect(imported(datumaro3dImport, files, cloudTarget)).rejects.toThrow(message);
    await expect(imported(datumaro3dImport, files, cloudTarget)).rejects.toThrow('default.json, items[0]');
  });
});
