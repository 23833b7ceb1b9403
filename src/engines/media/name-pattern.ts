/**
 * Matches names against an `fnmatch` pattern: `*` any characters (also `/`), `?` one character, `[abc]`, `[a-z]`,
 * `[!abc]` one character of a set. Case-sensitive. Takes time proportional to the product of the lengths for every
 * pattern.
 */
export function namePattern(pattern: string): (name: string) => boolean {
  const parts = parse(pattern);
  return (name) => fits(name, parts);
}

function fits(name: string, parts: readonly Part[]): boolean {
  const characters = [...name];
  let at = 0;
  let part = 0;
  let star = -1;
  let afterStar = 0;
  while (at < characters.length) {
    const wanted = parts[part];
    if (wanted === '*') {
      star = part++;
      afterStar = at;
    } else if (wanted !== undefined && wanted(characters[at] ?? '')) {
      part++;
      at++;
    } else if (star >= 0) {
      // On a mismatch, only the last star matches one character more: earlier stars never need to be reconsidered.
      part = star + 1;
      at = ++afterStar;
    } else {
      return false;
    }
  }
  return parts.slice(part).every((rest) => rest === '*');
}

type Part = '*' | ((character: string) => boolean);

function parse(pattern: string): Part[] {
  const parts: Part[] = [];
  const characters = [...pattern];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    const end = character === '[' ? endOfSet(characters, at) : -1;
    if (character === '*') parts.push('*');
    else if (character === '?') parts.push(() => true);
    else if (end > 0) {
      parts.push(setOf(characters.slice(at + 1, end)));
      at = end;
    } else parts.push((other) => other === character);
  }
  return parts;
}

/** Position of the closing bracket; -1 for an opening bracket that is never closed and so is literal. */
function endOfSet(characters: readonly string[], open: number): number {
  const first = characters[open + 1] === '!' ? open + 2 : open + 1;
  return characters.indexOf(']', first + 1); // a bracket in the first position belongs to the set
}

function setOf(characters: readonly string[]): (character: string) => boolean {
  const negated = characters[0] === '!';
  const members = negated ? characters.slice(1) : characters;
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < members.length; at++) {
    const from = members[at] ?? '';
    const isRange = members[at + 1] === '-' && at + 2 < members.length;
    ranges.push([from, isRange ? (members[at + 2] ?? '') : from]);
    if (isRange) at += 2;
  }
  return (character) => ranges.some(([from, to]) => character >= from && character <= to) !== negated;
}
