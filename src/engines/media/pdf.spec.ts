import { describe, expect, it } from '@jest/globals';
import { pixelBudget } from './pdf.js';

const A4 = 1654 * 2339;

describe('the pixels of the pages of a PDF', () => {
  it('are free up to a thousand pages', () => {
    const count = pixelBudget(Buffer.alloc(100), 'a.pdf');
    for (let page = 0; page < 1_000; page++) count(A4);
    expect(() => count(200 * A4)).toThrow("The pages of 'a.pdf' take more than 4000000000 pixels");
  });

  it('are limited by the size of the document', () => {
    const count = pixelBudget(Buffer.alloc(1_000_000), 'a.pdf');
    for (let page = 0; page < 5_000; page++) count(A4);
    expect(() => count(200 * A4)).toThrow("The pages of 'a.pdf' take more than 20000000000 pixels");
  });
});
