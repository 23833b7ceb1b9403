import { describe, expect, it } from '@jest/globals';
import { contentDisposition } from './content-disposition.js';

describe('contentDisposition', () => {
  it('quotes a name that every client accepts', () => {
    expect(contentDisposition('inline', 'Batch 3_a-b.zip')).toBe('inline; filename="Batch 3_a-b.zip"');
  });

  it.each([
    ['Batch #3 (day).zip', 'Batch _3 _day_.zip', 'Batch%20%233%20%28day%29.zip'],
    ['a:b.zip', 'a_b.zip', 'a%3Ab.zip'],
    ['"q" \\.zip', '_q_ _.zip', '%22q%22%20%5C.zip'],
    ["50% Anna's.zip", '50_ Anna_s.zip', '50%25%20Anna%27s.zip'],
    ['имя.zip', '___.zip', '%D0%B8%D0%BC%D1%8F.zip'],
    ['a\r\nb\ud800.zip', 'a__b_.zip', 'a%0D%0Ab_.zip'],
  ])('replaces what clients reject in %j, and adds the whole name', (name, plain, encoded) => {
    expect(contentDisposition('attachment', name)).toBe(`attachment; filename="${plain}"; filename*=UTF-8''${encoded}`);
  });
});
