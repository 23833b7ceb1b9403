import { describe, expect, it } from '@jest/globals';
import { isHollow } from './hollow-json.js';

const MEGABYTES = 4 * 2 ** 20;
const filled = (piece: string): Buffer => Buffer.from(`[${piece.repeat(Math.ceil(MEGABYTES / piece.length))}1]`);

describe('a JSON text that is little else than brackets', () => {
  it.each(['{},', '[],', '[', '{"a":{}},', ' [ ],'])('is one of %j', (piece) => {
    expect(isHollow(filled(piece))).toBe(true);
  });

  it.each([
    '{"frame":0,"label_id":1},',
    '{"frame":0,"label_id":1,"attributes":[{"spec_id":1,"value":""}]},',
    '{"type":"points","frame":0,"label_id":1,"points":[1,2],"attributes":[],"elements":[]},',
    String.raw`"[[[[[[[[[[[[\"{{{{{{{{",`,
    '1,',
  ])('is none of %j', (piece) => {
    expect(isHollow(filled(piece))).toBe(false);
  });

  it('is none that is small', () => {
    expect(isHollow(Buffer.from('['.repeat(100_000)))).toBe(false);
  });
});
