/** Levels of lists and objects in a value; formats need about eight. Whoever walks through a value calls itself for each. */
export const MAX_NESTING = 64;
/** In place of the end of a value that has more levels. */
export const TOO_DEEP = -2;

/** @returns the end of the value that starts at `start`; -1 if it is not in the text; {@link TOO_DEEP} */
export function valueEnd(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return stringEnd(text, start);
  if (first === '{' || first === '[') return bracketEnd(text, start);
  const end = /[\s,\]}:]/g;
  end.lastIndex = start;
  return end.exec(text)?.index ?? -1;
}

function bracketEnd(text: string, start: number): number {
  const mark = /["{}[\]]/g;
  mark.lastIndex = start;
  let depth = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const [character] = found;
    if (character === '"') {
      mark.lastIndex = stringEnd(text, found.index);
      if (mark.lastIndex <= 0) return -1;
    } else if (character === '{' || character === '[') {
      if (++depth > MAX_NESTING) return TOO_DEEP;
    } else if (--depth === 0) return found.index + 1;
  }
  return -1;
}

/** A quote ends a string unless an odd number of backslashes precedes it. */
function stringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text[quote - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  return -1;
}

/** @returns a key that an object in the text has twice; undefined if there is none. @param text valid JSON */
export function repeatedKey(text: string): string | undefined {
  const mark = /["{}]/g;
  const objects: Set<string>[] = [];
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] === '{') objects.push(new Set());
    else if (found[0] === '}') objects.pop();
    else {
      mark.lastIndex = stringEnd(text, found.index);
      if (!isBeforeColon(text, mark.lastIndex)) continue;
      const quoted = text.slice(found.index, mark.lastIndex);
      const key = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
      const keys = objects.at(-1);
      if (keys?.has(key) === true) return key;
      keys?.add(key);
    }
  }
  return undefined;
}

function isBeforeColon(text: string, start: number): boolean {
  let at = start;
  while (text.charCodeAt(at) <= 32) at++;
  return text[at] === ':';
}

/** @returns the first number that Python writes and JSON does not have, such as NaN */
export function pythonNumberIn(text: string): { readonly word: string; readonly at: number } | undefined {
  const mark = /"|-?\b(?:NaN|Infinity)\b/g;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] !== '"') return { word: found[0], at: found.index };
    mark.lastIndex = stringEnd(text, found.index);
    if (mark.lastIndex <= 0) return undefined;
  }
  return undefined;
}
