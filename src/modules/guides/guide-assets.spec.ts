import { describe, expect, it } from '@jest/globals';
import { referencedAssets, replaceAssets } from './guide-assets.js';

const A = '0a000000-0000-4000-8000-00000000000a';
const B = '0b000000-0000-4000-8000-00000000000b';

describe('references to assets', () => {
  it('are found in links, images and URLs, each once', () => {
    const text = `![x](/api/assets/${A}) [y](https://h/api/assets/${B} "b") <img src="/api/assets/${A.toUpperCase()}">`;
    expect(referencedAssets(text)).toEqual([A, B]);
  });

  it('need a complete id in an asset URL', () => {
    expect(referencedAssets(`${A} (/api/assets/${A}0) (/api/assets/12) (/api/tasks/${A})`)).toEqual([]);
  });

  it('are replaced, and nothing else', () => {
    const text = `(/api/assets/${A}) (/api/assets/${B}) ${A}`;
    expect(replaceAssets(text, new Map([[A, B]]))).toBe(`(/api/assets/${B}) (/api/assets/${B}) ${A}`);
  });
});
