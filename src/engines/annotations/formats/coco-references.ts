import { type FileLocation, refuse, shown } from './format.js';
import { idKey } from './items/unique-names.js';
import type { ImportNotes } from './import-notes.js';
import type { JsonObject } from './json-values.js';

/** What annotations refer to by id. */
type ById<Value> = ReadonlyMap<unknown, Value>;

/** @returns what the id stands for; undefined if nothing does */
export const withId = <Value>(values: ById<Value>, id: unknown): Value | undefined => values.get(idKey(id));

/** @throws FormatError if there is no image with the id */
export const imageOf = (images: ById<string>, annotation: JsonObject, location: FileLocation): string =>
  referenced(images, annotation, 'image', location);

/** @throws FormatError if there is no category with the id */
export const categoryOf = <Value>(categories: ById<Value>, annotation: JsonObject, location: FileLocation): Value =>
  referenced(categories, annotation, 'category', location);

function referenced<Value>(
  values: ById<Value>,
  annotation: JsonObject,
  what: 'image' | 'category',
  location: FileLocation,
): Value {
  const key = `${what}_id`;
  const id = annotation[key];
  const value = withId(values, id);
  if (value !== undefined) return value;
  return refuse(location, key in annotation ? `there is no ${what} ${shown(String(id))}` : `it has no ${key}`);
}

/** Whether an annotation is a text about an image, which is then noted. */
export function isCaption(annotation: JsonObject, location: FileLocation, notes: ImportNotes | undefined): boolean {
  if (typeof annotation['caption'] !== 'string' || annotation['category_id'] !== undefined) return false;
  noteCaption(location, notes);
  return true;
}

export const noteCaption = (location: FileLocation, notes: ImportNotes | undefined): unknown =>
  notes?.skip('annotation', 'caption', location, 'captions are not supported');
