import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { jsonChanges } from './json-changes.js';

const value = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' });
const key = fc.string({ unit: 'grapheme', maxLength: 5 }).filter((text) => JSON.stringify(text) === `"${text}"`);
const objects = fc.dictionary(key, value, { minKeys: 1, noNullPrototype: true }).chain((before) =>
  fc.tuple(fc.constant(before), fc.subarray(Object.keys(before)), value).map(([old, changed, other]) => {
    const now = Object.entries(old).map(([name, was]) => [name, changed.includes(name) ? other : was]);
    return { old, now: Object.fromEntries(now) as Record<string, unknown> };
  }),
);

describe('jsonChanges', () => {
  it('finds the changed members, with their positions in both texts, and the end of the object', () => {
    fc.assert(
      fc.property(objects, fc.constantFrom('', '{"object":'), ({ old, now }, head) => {
        const after = head + JSON.stringify(now);
        const read = jsonChanges(`${after},"x":1}`, `${head}${JSON.stringify(old)}}`, head.length);
        expect(read?.end).toBe(after.length);
        const differing = Object.keys(now).filter((name) => JSON.stringify(now[name]) !== JSON.stringify(old[name]));
        expect(read?.changes).toEqual(
          differing.map((name) => ({
            key: name,
            after: JSON.stringify(now[name]),
            before: JSON.stringify(old[name]),
          })),
        );
      }),
    );
  });

  it('finds the value of a member, and not a nested one', () => {
    const text = '{"b":{"a":1},"x":"\\"a\\":2","ab":3,"a":[4],"c":5}';
    const found = jsonChanges(text, text, 0, 'a')?.found;
    expect(text.slice(found?.start, found?.end)).toBe('[4]');
    expect(jsonChanges(text, text, 0, 'd')?.found).toBeNull();
  });

  it('does not mistake the beginning of a value for the value', () => {
    expect(jsonChanges('{"a":1,"b":2}', '{"a":12,"b":2}', 0)?.changes).toEqual([
      { key: 'a', after: '1', before: '12' },
    ]);
    expect(jsonChanges('{"a":12}', '{"a":1}', 0)?.changes).toEqual([{ key: 'a', after: '12', before: '1' }]);
    expect(jsonChanges('{"a":"x\\\\"}', '{"a":"x\\""}', 0)?.changes).toEqual([
      { key: 'a', after: '"x\\\\"', before: '"x\\""' },
    ]);
  });

  it.each([
    ['other members', '{"a":1,"b":2}', '{"a":1,"c":2}'],
    ['another order', '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['one more before', '{"a":1}', '{"a":1,"b":2}'],
    ['one more now', '{"a":1,"b":2}', '{"a":1}'],
    ['spaces', '{"a" : 1}', '{"a" : 2}'],
    ['spaces within a value', '{"a":[1, 2]}', '{"a":[1, 2]}'],
    ['an escape in a key', '{"\\u0061":1}', '{"\\u0061":2}'],
    ['an escaped quote in a key', '{"a\\":":1}', '{"a\\":":2}'],
    ['no members', '{}', '{}'],
    ['no object', '[1]', '[1]'],
    ['half an object', '{"a":1', '{"a":1'],
    ['half a string', '{"a":"1', '{"a":"1'],
    ['nothing', '', ''],
  ])('returns null for texts with %s', (_name, after, before) => {
    expect(jsonChanges(after, before, 0)).toBeNull();
  });
});
