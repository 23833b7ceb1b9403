import * as fc from 'fast-check';
import { jsonErrorPlace } from './json-error';

describe('jsonErrorPlace', () => {
  it('finds nothing wrong with JSON', () => {
    fc.assert(fc.property(fc.json(), (text) => jsonErrorPlace(text) === undefined));
  });

  it('finds something wrong with everything else', () => {
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
        return (jsonErrorPlace(changed) === undefined) === isJson;
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
  ])('%j is wrong at %j', (text, place) => {
    expect(jsonErrorPlace(text)).toEqual(place);
  });
});
