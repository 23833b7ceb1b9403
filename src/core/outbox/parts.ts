const SIZE = 250;

/** A long list piece by piece: what is loaded and told for one piece is gone before the next. */
export function* inParts<T>(list: readonly T[], size = SIZE): Generator<T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}
