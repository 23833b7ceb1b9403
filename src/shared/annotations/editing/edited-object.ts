import { type AttributeValue, emptyData, type LabeledData, type Shape, type Tag, type Track } from '../model.js';

/**
 * An annotation in the editor. It is immutable: every edit creates a new object. Its ids are null. The document maps its key
 * to its id, which changes when an annotation is deleted, saved and restored.
 */
export type EditedObject =
  | { readonly kind: 'tag'; readonly value: Readonly<Tag> }
  | { readonly kind: 'shape'; readonly value: Readonly<Shape> }
  | { readonly kind: 'track'; readonly value: Readonly<Track> };

export type ObjectKind = EditedObject['kind'];

/** An annotation that the server has stored, with its id. */
export interface StoredObject {
  readonly id: number;
  readonly object: EditedObject;
}

/** The key of an annotation that came from the server. */
export const keyOf = (kind: ObjectKind, id: number): string => `${kind}:${id}`;

/** All annotations of a response except intervals, which the editor does not support. */
export function storedObjects(data: LabeledData): StoredObject[] {
  const objects: StoredObject[] = [];
  const add = (id: number | null, object: EditedObject): void => {
    if (id !== null) objects.push({ id, object });
  };
  for (const tag of data.tags) add(tag.id, { kind: 'tag', value: { ...tag, id: null } });
  for (const shape of data.shapes) add(shape.id, { kind: 'shape', value: withoutIds(shape) });
  for (const track of data.tracks) add(track.id, { kind: 'track', value: trackWithoutIds(track) });
  return objects;
}

const withoutIds = (shape: Shape): Shape => ({
  ...shape,
  id: null,
  elements: shape.elements.map((element) => ({ ...element, id: null })),
});

const trackWithoutIds = (track: Track): Track => ({
  ...track,
  id: null,
  shapes: track.shapes.map((shape) => ({ ...shape, id: null })),
  elements: track.elements.map((element) => ({
    ...element,
    id: null,
    shapes: element.shapes.map((shape) => ({ ...shape, id: null })),
  })),
});

/** The body of a request that saves these annotations. */
export function labeledData(
  objects: Iterable<{ readonly id: number | null; readonly object: EditedObject }>,
): LabeledData {
  const data = emptyData();
  for (const { id, object } of objects) {
    if (object.kind === 'tag') data.tags.push({ ...object.value, id });
    else if (object.kind === 'shape') data.shapes.push({ ...object.value, id });
    else data.tracks.push({ ...object.value, id });
  }
  return data;
}

/** Whether two annotations have the same content. The order of attributes does not matter. */
export function isSame(a: EditedObject | undefined, b: EditedObject | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.kind !== b.kind) return false;
  return isEqual(a.value, b.value);
}

/** Whether the server has stored an annotation as it was sent. Responses leave some fields out, such as the score. */
export const isStoredAs = ({ kind, value }: EditedObject, stored: EditedObject): boolean =>
  kind === stored.kind && isEqual(value, stored.value, { ignoresMissing: true });

/** @param options.ignoresMissing whether `b` may have fewer fields */
function isEqual(a: unknown, b: unknown, options = { ignoresMissing: false }): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = Object.keys(right);
  const hasSameSize = keys.length === Object.keys(left).length;
  if (!hasSameSize && (Array.isArray(a) || !options.ignoresMissing)) return false;
  return keys.every((key) =>
    key === 'attributes'
      ? isEqual(inOrder(left[key] as AttributeValue[]), inOrder(right[key] as AttributeValue[]), options)
      : isEqual(left[key], right[key], options),
  );
}

const inOrder = (attributes: readonly AttributeValue[]): AttributeValue[] =>
  attributes.toSorted((a, b) => a.spec_id - b.spec_id);
