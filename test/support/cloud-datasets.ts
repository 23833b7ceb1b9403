import fc from 'fast-check';
import type { Dataset, DatasetTask } from '../../src/engines/annotations/formats/dataset.js';
import type { ImportTarget } from '../../src/engines/annotations/formats/format.js';
import type { Shape, Track } from '../../src/shared/annotations/model.js';
import { datasetOf, shapeOf, testLabels, testTask, trackOf } from './datasets.js';

/** A task with four point clouds, one of which has a context image. */
export const cloudTask: DatasetTask = {
  ...testTask,
  size: 4,
  stopFrame: 3,
  frames: ['a', 'b', 'c d', 'e.v2'].map((name, frame) => ({
    frame,
    number: frame,
    name: `clouds/${name}.pcd`,
    width: 0,
    height: 0,
    ...(frame === 0 && { related: ['clouds/related_images/a_pcd/Front.PNG'] }),
  })),
};

export const cloudDataset: Dataset = datasetOf(cloudTask);

export const cloudTarget: ImportTarget = { labels: testLabels, frames: cloudTask.frames, mode: 'annotation' };

const hundredths = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: min * 100, max: max * 100 }).map((value) => value / 100);

/** Coordinates of a cuboid in space, with two decimals. */
export const cuboidPoints: fc.Arbitrary<number[]> = fc
  .tuple(
    fc.array(hundredths(-50, 50), { minLength: 3, maxLength: 3 }),
    fc.array(hundredths(-3, 3), { minLength: 3, maxLength: 3 }),
    fc.array(hundredths(1, 9), { minLength: 3, maxLength: 3 }),
  )
  .map(([position, rotation, scale]) => [...position, ...rotation, ...scale, 0, 0, 0, 0, 0, 0, 0]);

/** Single cuboids, sorted by frame. @param attributes whether cars have attributes */
export const anyCuboids = (attributes: boolean): fc.Arbitrary<Shape[]> =>
  fc
    .array(
      fc
        .record({ points: cuboidPoints, frame: fc.nat(3), occluded: fc.boolean(), parked: fc.boolean() })
        .map(({ parked, points, ...more }) =>
          shapeOf('cuboid', points, {
            ...more,
            label_id: attributes ? 1 : 2,
            source: 'file',
            attributes: attributes
              ? [
                  { spec_id: 11, value: 'volvo & <co>' },
                  { spec_id: 12, value: String(parked) },
                ]
              : [],
          }),
        ),
      { maxLength: 6 },
    )
    .map((shapes) => shapes.toSorted((a, b) => a.frame - b.frame));

const boxAt = (x: number): number[] => [x, 0, 0, 0, 0, 0.5, 4, 2, 1.5, 0, 0, 0, 0, 0, 0, 0];

/** A track that disappears on the last frame. */
export const cloudTrack: Track = trackOf(
  [
    { type: 'cuboid', frame: 0, points: boxAt(1) },
    { type: 'cuboid', frame: 2, points: boxAt(3), occluded: true },
    { type: 'cuboid', frame: 3, points: boxAt(3), occluded: true, outside: true },
  ],
  { source: 'file' },
);

/** In an order that does not depend on that of files. Adding 0 turns -0 into 0. */
export const sortedShapes = (shapes: readonly Shape[]): Shape[] =>
  shapes
    .map((shape) => ({ ...shape, points: shape.points.map((value) => value + 0) }))
    .toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));

const orderOf = ({ frame, points, occluded, attributes }: Shape): string =>
  JSON.stringify([frame, points, occluded, attributes]);
