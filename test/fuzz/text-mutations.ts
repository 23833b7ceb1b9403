import type { Random } from './random.js';

/** The largest input, in characters or bytes. */
export const LARGEST = 2 ** 20;

const NUMBERS = [
  '0', '-0', '-1', '1', '0.5', '255', '256', '65535', '65536', '2147483647', '2147483648', '-2147483648', '4294967295',
  '4294967296', '9007199254740993', '1e9', '1e15', '-1e15', '1e16', '1e308', '1e400', '-1e308', '5e-324', 'NaN', 'Infinity', 'null',
  '""', '[]', '{}', '1'.repeat(400),
]; // prettier-ignore

/** Characters whose runs take parsers long. */
const RUNS = [...' \t\n\r,;:"\'\\/[]{}()<>&#=-_.*?!|~@%`01aZé\0', '" ', ' "', ', ', '": "', '&amp;', '&lt;', '<a>', '</a>', '<a ', '<!--', '<![CDATA[', '[{', '{"a":', '- ', '? ', ': ', '&a ', '*a ', '<<: ', '""', '\\u0041', '1 ', '1,', '.5 ', 'a/', '../', '\r\n', '\n ', '\n- ', '\na:']; // prettier-ignore

type Mutation = (text: string, random: Random) => string;

const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** Replaces one number, or every one. */
const otherNumbers: Mutation = (text, random) => {
  const count = text.match(NUMBER)?.length ?? 0;
  if (count === 0) return text;
  const [at, isEvery] = [random.below(count), random.chance(0.1)];
  const other = random.pick(NUMBERS);
  let index = 0;
  return text.replaceAll(NUMBER, (number) => (index++ === at || isEvery ? other : number));
};

/** Where something begins or ends, or anywhere. */
function positionIn(text: string, random: Random): number {
  const at = random.below(text.length + 1);
  if (random.chance(0.4)) return at;
  const mark = /[\s"'[\]{}<>,;:=/]/g;
  mark.lastIndex = at;
  const found = mark.exec(text)?.index ?? at;
  return random.chance(0.5) ? found : Math.min(text.length, found + 1);
}

const insertedRun: Mutation = (text, random) => {
  const run = random.pick(RUNS);
  const count = Math.floor(random.size(LARGEST) / run.length);
  const [at, last] = [positionIn(text, random), random.chance(0.2) ? random.pick(RUNS) : ''];
  return text.slice(0, at) + run.repeat(count) + last + text.slice(at);
};

/** A value of JSON, an element of XML, some lines, or any part. */
function blockIn(text: string, random: Random): [start: number, end: number] {
  const at = random.below(text.length);
  const kind = random.below(4);
  if (kind === 0) {
    const open = Math.max(text.indexOf('{', at), text.indexOf('[', at));
    const end = open === -1 ? -1 : closing(text, open);
    if (end !== -1) return [open, end];
  }
  if (kind === 1) {
    const open = /<([\w.-]+)/g;
    open.lastIndex = at;
    const found = open.exec(text);
    const end = found === null ? -1 : text.indexOf(`</${found[1]}>`, found.index);
    if (found !== null && end !== -1) return [found.index, text.indexOf('>', end) + 1];
  }
  if (kind < 3) {
    const start = text.lastIndexOf('\n', at) + 1;
    let end = start;
    for (let lines = random.size(10); lines > 0 && end !== -1; lines--) end = text.indexOf('\n', end + 1);
    return [start, end === -1 ? text.length : end + 1];
  }
  return [at, Math.min(text.length, at + random.size(200))];
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < Math.min(text.length, open + 100_000); at++) {
    const character = text[at] ?? '';
    if ('{['.includes(character)) depth++;
    else if ('}]'.includes(character) && --depth === 0) return at + 1;
  }
  return -1;
}

/** Repeats a block, with the same numbers or with others in each copy. */
const repeatedBlock: Mutation = (text, random) => {
  const [start, end] = blockIn(text, random);
  const block = text.slice(start, end);
  if (block === '') return text;
  const separator = /^[{[]/.test(block) || random.chance(0.2) ? random.pick([',', ',', ';', ' ', '\n']) : '';
  const count = Math.min(random.size(100_000), Math.floor((LARGEST - text.length) / (block.length + 8)));
  if (count < 1) return text;
  const isNumbered = random.chance(0.6);
  const part = random.below(block.match(/\d+/g)?.length ?? 1);
  const pieces: string[] = [];
  for (let copy = 0; copy < count; copy++) {
    let index = 0;
    const number = (digits: string): string => (index++ === part ? String(copy) : digits);
    pieces.push(isNumbered ? block.replaceAll(/\d+/g, number) : block);
  }
  return text.slice(0, start) + pieces.join(separator) + separator + text.slice(start);
};

const NESTINGS = [['[', ']'], ['{"a":', '}'], ['<a>', '</a>'], ['(', ')'], ['"', '"'], ['- ', ''], ['? ', ''], ['{a: ', '}'], ['!a ', ''], ['a: [', ']']] as const; // prettier-ignore

const nested: Mutation = (text, random) => {
  const [start, end] = blockIn(text, random);
  const [open, close] = random.pick(NESTINGS);
  const depth = Math.floor(random.size(LARGEST / 2) / (open.length + close.length));
  const isClosed = random.chance(0.8);
  return text.slice(0, start) + open.repeat(depth) + text.slice(start, end) + (isClosed ? close.repeat(depth) : '') + text.slice(end); // prettier-ignore
};

/** A list in place of a value: each element has its own key. */
const manyKeys: Mutation = (text, random) => {
  const anywhere = positionIn(text, random);
  const form = random.pick([
    (key: number) => `"k${key}":1,`,
    (key: number) => `k${key}: 1\n`,
    (key: number) => ` k${key}="1"`,
    (key: number) => `k${key} = 1\n`,
    (key: number) => `<k${key}/>`,
    (key: number) => `&k${key} a: *k${key}\n`,
    (key: number) => `${key},`,
    (key: number) => `k${key}\n`,
    (key: number) => `k${key}\t`,
    (key: number) => `k${key} ${key}\n`,
  ]);
  const isLine = form(0).endsWith('\n') && random.chance(0.7);
  const at = isLine ? text.lastIndexOf('\n', anywhere) + 1 : anywhere;
  const count = Math.min(random.size(100_000), Math.floor((LARGEST - text.length) / 16));
  return (
    text.slice(0, at) + Array.from({ length: Math.max(0, count) }, (_, key) => form(key)).join('') + text.slice(at)
  );
};

const removed: Mutation = (text, random) => {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + text.slice(at + random.size(100));
};

const cutOff: Mutation = (text, random) => text.slice(0, random.below(text.length + 1));

const otherCharacter: Mutation = (text, random) => {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + random.pick(RUNS) + text.slice(at + 1);
};

/** A text in place of another. */
const otherText: Mutation = (text, random) => {
  const quoted = [...text.matchAll(/"[^"\n]*"/g)];
  if (quoted.length === 0) return text;
  const [from, to] = [random.pick(quoted), random.pick(quoted)];
  const other = random.chance(0.5) ? from[0] : `"${random.pick(RUNS).repeat(random.size(10_000)).replaceAll('"', '')}"`;
  return text.slice(0, to.index) + other + text.slice(to.index + to[0].length);
};

const MUTATIONS: readonly Mutation[] = [
  otherNumbers, otherNumbers, insertedRun, insertedRun, repeatedBlock, repeatedBlock, repeatedBlock, nested, manyKeys, removed, cutOff,
  otherCharacter, otherText,
]; // prettier-ignore

/** The text with some damage. */
export function mutatedText(text: string, random: Random): string {
  let mutated = text;
  for (let steps = 1 + random.below(3); steps > 0; steps--) mutated = random.pick(MUTATIONS)(mutated, random).slice(0, LARGEST); // prettier-ignore
  return mutated;
}
