// Whether two JSON responses are equal, or where they first differ.

/**
 * @param {string} a @param {string} b
 * @returns {string} empty if the bytes are equal, otherwise where they differ
 */
export function difference(a, b) {
  if (a === b) return '';
  return (
    firstDifference(JSON.parse(a), JSON.parse(b), 'response', (x, y) => x === y) || 'same values, written otherwise'
  );
}

/**
 * Compares keys, their order, and types of values, for responses with new ids and dates.
 *
 * @returns {string} empty if the shapes are equal
 */
export function shapeDifference(a, b) {
  return firstDifference(JSON.parse(a), JSON.parse(b), 'response', (x, y) => typeof x === typeof y);
}

function firstDifference(a, b, path, isSame) {
  const [isA, isB] = [a, b].map((value) => typeof value === 'object' && value !== null);
  if (!isA || !isB) return isA === isB && isSame(a, b) ? '' : `${path}: ${excerpt(a)} and ${excerpt(b)}`;
  const [keysA, keysB] = [Object.keys(a), Object.keys(b)];
  if (keysA.join() !== keysB.join()) return `keys of ${path}: ${excerpt(keysA.join())} and ${excerpt(keysB.join())}`;
  for (const key of keysA) {
    const found = firstDifference(a[key], b[key], `${path}.${key}`, isSame);
    if (found !== '') return found;
  }
  return '';
}

const excerpt = (value) => JSON.stringify(value)?.slice(0, 120) ?? 'nothing';
