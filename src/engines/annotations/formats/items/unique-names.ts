import { type FileLocation, refuse, shown } from '../format.js';

/**
 * Records what an id or a colour of a file stands for. It may be listed again for the same, but not for something else:
 * whichever entry took effect, annotations of the other would get a wrong label or frame.
 * @param what is listed, with its value: `the category id 1`
 * @throws FormatError that names both
 */
export function nameOnce<Key>(
  known: Map<Key, string>,
  [key, what]: readonly [key: Key, what: string],
  name: string,
  location: FileLocation,
): void {
  const other = known.get(key);
  if (other !== undefined && other !== name) {
    refuse(location, `${what} is listed for ${shown(other)} and for ${shown(name)}; each needs its own`);
  }
  known.set(key, name);
}

/** Makes ids of JSON files equal that tools write as numbers in one place and as texts in another. */
export const idKey = (id: unknown): unknown => (typeof id === 'number' ? String(id) : id);

/** An id of a JSON file, and what it is called in errors. */
export const idOf = (what: string, id: unknown): readonly [key: unknown, what: string] => [
  idKey(id),
  `the ${what} id ${shown(JSON.stringify(id) ?? 'undefined')}`,
];
