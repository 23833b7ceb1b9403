import type { LabeledData, Shape, Tag } from '../../shared/annotations/model.js';

/** Frames that repeat others: for each frame of the pool, where it is repeated. */
export type Repetitions = ReadonlyMap<number, readonly number[]>;

/** What is annotated on a frame of the pool, is so on each frame that repeats it. Tracks and intervals stay as they are. */
export function withRepetitions(data: LabeledData, repetitions: Repetitions): LabeledData {
  const placesOf = (frame: number): readonly number[] => [frame, ...(repetitions.get(frame) ?? [])];
  return {
    ...data,
    tags: data.tags.flatMap((tag) => placesOf(tag.frame).map((frame): Tag => ({ ...tag, frame }))),
    shapes: data.shapes.flatMap((shape) =>
      placesOf(shape.frame).map((frame): Shape => ({
        ...shape,
        frame,
        elements: shape.elements.map((element) => ({ ...element, frame })),
      })),
    ),
  };
}

/** Is anything annotated on a frame of the pool? */
export const isOnPool = (data: LabeledData, pool: ReadonlySet<number>): boolean =>
  data.tags.some(({ frame }) => pool.has(frame)) || data.shapes.some(({ frame }) => pool.has(frame));
