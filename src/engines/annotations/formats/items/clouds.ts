import { posix } from 'node:path';
import type { FrameShape } from '../annotated-frames.js';
import { type Dataset, type DatasetFrame, type DatasetTask, subsetFolder } from '../dataset.js';
import { withoutExtension } from '../import-batch.js';
import { type AnnotatedItem, type DatasetItems, itemsWith } from './items.js';

/**
 * The items of datasets of point clouds. Their names have no folders, and the extension `pcd`.
 * @param subsetOf the folder of a task; formats without subsets give all tasks the same
 */
export const cloudItemsWith = (
  subsetOf: (task: DatasetTask) => string = subsetFolder,
): ((dataset: Dataset) => DatasetItems) =>
  itemsWith(
    () => subsetOf,
    (frame) => ({ ...frame, name: `${withoutExtension(posix.basename(frame.name))}.pcd` }),
  );

/** A box in space: position of its centre, rotation in radians, and size, each as x, y, z. */
export interface Cuboid {
  readonly position: Triple;
  readonly rotation: Triple;
  readonly scale: Triple;
}

export type Triple = readonly [x: number, y: number, z: number];

export const isCuboid = ({ type }: Pick<FrameShape, 'type'>): boolean => type === 'cuboid';

/** The box that the coordinates of an annotation describe. */
export function cuboidOf({ points }: Pick<FrameShape, 'points'>): Cuboid {
  const triple = (at: number): Triple => [points[at] ?? 0, points[at + 1] ?? 0, points[at + 2] ?? 0];
  return { position: triple(0), rotation: triple(3), scale: triple(6) };
}

const UNUSED = Array.from({ length: 7 }, () => 0);

/** The coordinates of an annotation. */
export const cuboidPoints = ({ position, rotation, scale }: Cuboid): number[] => [
  ...position,
  ...rotation,
  ...scale,
  ...UNUSED,
];

/** Number of tracks on the frame. Formats number single cuboids after them. */
export const tracksOn = ({ shapes }: AnnotatedItem): number =>
  shapes.filter((shape) => isCuboid(shape) && shape.track !== undefined).length;

/** The file names of a frame's context images. Images of one name in different folders get their position in front. */
export function relatedNames({ related = [] }: DatasetFrame): string[] {
  const names = related.map((path) => posix.basename(path));
  const known = new Set<string>();
  return names.map((name, at) => (known.size < known.add(name).size ? name : `${at}_${name}`));
}
