import type { AnnotationDocument } from '#shared/annotations/editing/document';
import type { EditedObject } from '#shared/annotations/editing/edited-object';
import { mergeObjects } from '#shared/annotations/editing/merge';
import type { Geometry } from '#shared/annotations/model';
import { NotPossible } from '../../../app/not-possible';
import { newKey, type NewObjects } from './new-objects';

/** An object with its key; undefined: it is deleted. */
export type Change = readonly [string, EditedObject | undefined];

/**
 * Merges shapes and tracks into one track. Tags among the objects stay.
 * @param stop last frame of the job
 * @returns the changes; the last one is the track
 * @throws Error if they cannot be merged
 */
export function merging(
  document: AnnotationDocument,
  keys: readonly string[],
  stop: number,
  created: NewObjects,
): readonly Change[] {
  const objects = new Map<string, EditedObject>();
  for (const key of keys) {
    const object = document.get(key);
    if (object !== undefined && object.kind !== 'tag') objects.set(key, object);
  }
  const [first] = objects.values();
  const merged = mergeObjects([...objects.values()], stop, created.mutable(first?.value.label_id ?? 0));
  if ('problem' in merged) throw new NotPossible(merged.problem);
  return [...Array.from(objects.keys(), (key): Change => [key, undefined]), [newKey('track'), merged.object]];
}

/**
 * Replaces shapes by others on the same frame, which have the label and the state of the first one. The first one is kept
 * if its type stays the same.
 * @returns the changes: those that replace, and the deletions of the others
 */
export function replacing(
  document: AnnotationDocument,
  keys: readonly string[],
  shapes: readonly Geometry[],
): readonly Change[] {
  const [first] = keys;
  const base = first === undefined ? undefined : document.get(first);
  if (first === undefined || base?.kind !== 'shape') return [];
  const replaced = shapes.map((geometry, at): Change => {
    const isKept = at === 0 && geometry.type === base.value.type;
    return [isKept ? first : newKey('shape'), { kind: 'shape', value: { ...base.value, ...geometry } }];
  });
  const kept = new Set(replaced.map(([key]) => key));
  return [...replaced, ...keys.filter((key) => !kept.has(key)).map((key): Change => [key, undefined])];
}
