import * as fc from 'fast-check';
import { jsonErrorPosition } from './json-error';

describe('jsonErrorPosition', () => {
  it('finds no error in valid JSON', () => {
    fc.assert(fc.property(fc.json(), (text) => jsonErrorPosition(text) === undefined));
  });

  it('finds an error in everything else', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom('', '{', ']', ',', '"', 'x', '\\'), (text, part, put) => {
        const at = part % (text.length + 1);
        const changed = text.slice(0, at) + put + text.slice(at + 1);
        let isJson = true;
        try {
          JSON.parse(changed);
        } catch {
          isJson = false;
        }
        return (jsonErrorPosition(changed) === undefined) === isJson;
      }),
    );
  });

  it.each([
    ['[1,\n  oops]', { line: 2, column: 3 }],
    ['[1', { line: 1, column: 3 }],
    ['', { line: 1, column: 1 }],
    ['{"a" 1}', { line: 1, column: 6 }],
    ['[1,]', { line: 1, column: 4 }],
    ['[1] 2', { line: 1, column: 5 }],
  ])('locates the error of %j at %j', (text, place) => {
    expect(jsonErrorPosition(text)).toEqual(place);
  });
});
