import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ExcessiveJson, isExcessiveJson, LongList, parseLargeJson, readLargeJson } from './large-json.js';

const MEGABYTES = 4 * 2 ** 20;
const filled = (piece: string): Buffer => Buffer.from(`[${piece.repeat(Math.ceil(MEGABYTES / piece.length))}1]`);

describe('a JSON text that consists mostly of brackets', () => {
  it.each(['{},', '[],', '[', '{"a":{}},', ' [ ],'])('is detected for %j', (piece) => {
    expect(isExcessiveJson(filled(piece))).toBe(true);
  });

  it.each([
    '{"frame":0,"label_id":1},',
    '{"frame":0,"label_id":1,"attributes":[{"spec_id":1,"value":""}]},',
    '{"type":"points","frame":0,"label_id":1,"points":[1,2],"attributes":[],"elements":[]},',
    String.raw`"[[[[[[[[[[[[\"{{{{{{{{",`,
    '1,',
  ])('is not detected for %j', (piece) => {
    expect(isExcessiveJson(filled(piece))).toBe(false);
  });

  it('is not detected if it is small', () => {
    expect(isExcessiveJson(Buffer.from('['.repeat(100_000)))).toBe(false);
  });
});

describe('a large JSON text', () => {
  const whole = (text: string): unknown => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return 'no JSON';
    }
  };
  const inSlices = (text: string, turn: number): Promise<unknown> =>
    parseLargeJson(Buffer.from(text), { turn }).catch((error: unknown) =>
      error instanceof SyntaxError ? 'no JSON' : Promise.reject(error as Error),
    );

  it.each([
    '{"a": [1, 2, 3], "b": [], "c": [ ], "d": {"e": [1, 2]}, "f": [[1, 2], [3]], "g": 0}',
    '{"a": [1, 2], "a": [3, 4, 5]}',
    '{"a": {"b": [1, 2], "c": {"d": [3, 4]}, "e": [[5, 6], {"f": [7, 8]}]}, "g": [9, 10], "h": {"i": [{}]}}',
    '{"a": {"b": [1, 2], "b": [3]}, "a": {"c": [4, 5]}}',
    '{"a": {"b": [1, 2}, "c": [3]}',
    '{"a": {"b": [1, 2]], "c": {"d": [3]}}',
    '{"a": [1, ], "a": [2]}',
    '{"__proto__": [1, 2, 3], "b": [{"c": "]}, \\"[{,"}, "é", 4]}',
    '[[1, 2], [3, 4], {"a": [5, 6]}]',
    '{"a": [1, 2,]}',
    '{"a": [1,, 2]}',
    '{"a": [,]}',
    '{"a": [1 2]}',
    '{"a": [1, 2}',
    '{"a": [1, 2',
    '{"a": [1]]}',
    '{"a": [1, {]}',
    '{"a": [1, 2]}, {"b": [3]}',
    '{"a": ["b, 2]}',
    '{"a": [0x1, 2]}',
    '"a, b, c"',
    '1, 2, 3',
  ])('%s gives the same result in slices as at once', async (text) => {
    for (const turn of [1, 2, 5]) expect(await inSlices(text, turn)).toEqual(whole(text));
  });

  it('gives the same result in slices as at once, whatever is wrong with it', async () => {
    const damage = fc.record({
      at: fc.nat(),
      cut: fc.nat(2),
      put: fc.constantFrom('', ',', '"', '[', ']', '{', '}', '0'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
        damage,
        fc.integer({ min: 1, max: 9 }),
        async (value, { at, cut, put }, turn) => {
          const good = JSON.stringify(value);
          const place = at % (good.length + 1);
          const text = Buffer.from(good.slice(0, place) + put + good.slice(place + cut)).toString();
          expect(await inSlices(text, turn)).toEqual(whole(text));
        },
      ),
      { numRuns: 1000 },
    );
  });

  const listed = (value: unknown): unknown => {
    if (value instanceof LongList || Array.isArray(value)) return Array.from(value as Iterable<unknown>, listed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, listed(part)]));
  };
  const read = (text: string, turn: number, reader = (value: unknown) => Promise.resolve(listed(value))) =>
    readLargeJson(Buffer.from(text), reader, { turn }).catch((error: unknown) =>
      error instanceof SyntaxError ? 'no JSON' : Promise.reject(error as Error),
    );

  it.each([
    '{"a": [{"b": 1}, {"c": [1, 2]}, 3, {"d": [{"e": 1}, {"f": "}, {"}]}], "g": [1, 2]}',
    '[{"a": 1}, {"b": [{"c": 1}, {"d": 2}]}]',
    '{"a": {"b": [{"c": 1}, {"d": 2}], "e": {"f": [{"g": 3}, {"h": 4}]}}, "i": [{"j": 5}, {"k": 6}]}',
    '{"a": [{"b": 1}, {"c": 2}], "a": [{"d": 3}]}',
    '{"a": [{"b": 1}, {"c": 2},]}',
    '{"a": [{"b": 1}, {"c": 2}',
    '{"a": [{"b": 1},, {"c": 2}]}',
    '{"a": [{"b": 1}, {c: 2}], "a": [{"d": 3}]}',
  ])('%s gives the same result when its lists are read later', async (text) => {
    for (const turn of [1, 2, 5]) expect(await read(text, turn)).toEqual(whole(text));
  });

  it('is checked to its end if its lists are not read, or if reading them fails', async () => {
    const text = '{"a": [{"b": 1}, {"c": 2}, {"d": x}]}';
    expect(await read(text, 2, () => Promise.resolve('ignored'))).toBe('no JSON');
    expect(await read(text, 2, () => Promise.reject(new Error('refused')))).toBe('no JSON');
    await expect(read(text.replace('x', '3'), 2, () => Promise.reject(new Error('refused')))).rejects.toThrow(
      'refused',
    );
  });

  it('has its lists read later if they are in an object in the outermost object', async () => {
    const text = Buffer.from(`{"a": {"b": [${'{"c":[1,2,3,4,5,6,7,8]},'.repeat(150_000)}{"c":[]}]}, "d": 1}`);
    const count = await readLargeJson(text, (value) => {
      const { a } = value as { a: { b: Iterable<unknown> } };
      expect(a.b).toBeInstanceOf(LongList);
      return Promise.resolve([...a.b].length);
    });
    expect(count).toBe(150_001);
  });

  it('is refused if a list has more elements than allowed', async () => {
    const text = Buffer.from(`{"ids":[${'1,'.repeat(1_200_000)}1]}`);
    await expect(parseLargeJson(text, { maxElements: 1_000_000 })).rejects.toThrow(
      new ExcessiveJson('A list has more than 1000000 elements.'),
    );
  });

  it('is refused if it consists of brackets', async () => {
    await expect(parseLargeJson(filled('{},'))).rejects.toThrow(ExcessiveJson);
  });

  it.each([
    ['An object has more than 100000 keys.', `{"a":[{${'"key":1234567890,'.repeat(300_000)}"b":1}]}`],
    [
      'Values are nested more than 1000 levels deep.',
      `{"a":${'["123456789",'.repeat(200_000)}1${']'.repeat(200_000)}}`,
    ],
    ['A list has more than 10000000 elements.', `{"shapes":[{"points":[${'1,'.repeat(10_000_001)}1]}]}`],
    ['Long lists are nested too deep.', `{"a":{"b":{"c":[${'1,'.repeat(1_100_000)}1]}}}`],
    ['Long lists are nested too deep.', `{"a":[{"b":[{"c":[{"d":[{"e":[{"f":[${'1,'.repeat(1_100_000)}1]}]}]}]}]}]}`],
  ])('is refused: %s', async (message, text) => {
    await expect(parseLargeJson(Buffer.from(text))).rejects.toThrow(new ExcessiveJson(message));
  });

  it('is read in turns, including the lists of a long element', async () => {
    let turns = 0;
    const counter = setInterval(() => (turns += 1), 0);
    const numbers = Array.from({ length: 2_000_000 }, (_, index) => index % 10);
    const value = { tracks: [{ shapes: [{ points: numbers }] }] };
    const read = await parseLargeJson(Buffer.from(JSON.stringify(value)));
    clearInterval(counter);
    expect(JSON.stringify(read)).toBe(JSON.stringify(value));
    expect(turns).toBeGreaterThan(3);
  });
});
