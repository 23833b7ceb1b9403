import { describe, expect, it } from '@jest/globals';
import { imageFile } from '../../../test/support/images.js';
import { fileTypeOf, fitImage } from './image-fit.js';
import { probeImage } from './image-probe.js';

describe('fitImage', () => {
  it('leaves images that fit unchanged', async () => {
    const file = await imageFile({ width: 40, height: 30 });
    expect(await fitImage(file, 'a.jpg', 40)).toBe(file);
  });

  it.each(['jpeg', 'png'] as const)('shrinks a %s in its own format', async (format) => {
    const file = await fitImage(await imageFile({ width: 80, height: 20, format }), 'a', 40);
    expect(await probeImage(file, 'a')).toMatchObject({ width: 40, height: 10, format });
  });

  it('rotates images upright', async () => {
    const file = await fitImage(await imageFile({ width: 80, height: 20, orientation: 6 }), 'a', 40);
    expect(await probeImage(file, 'a')).toMatchObject({ width: 10, height: 40, turned: false });
  });

  it('rejects damaged images and those with too many pixels', async () => {
    const file = await imageFile({ width: 80, height: 60 });
    await expect(fitImage(file.subarray(0, 30), 'a.jpg', 40)).rejects.toThrow("'a.jpg'");
    await expect(fitImage(file.subarray(0, file.length - 200), 'a.jpg', 40)).rejects.toThrow("'a.jpg'");
    await expect(fitImage(file, 'a.jpg', 40, { maxPixels: 100 })).rejects.toThrow('too many pixels');
  });
});

describe('fileTypeOf', () => {
  it.each(['jpeg', 'png', 'webp', 'gif'] as const)('recognizes %s', async (format) => {
    expect(fileTypeOf(await imageFile({ format }))).toBe(`image/${format}`);
  });

  it('recognizes documents, but nothing that a browser would execute', () => {
    expect(fileTypeOf(Buffer.from('%PDF-1.7\n'))).toBe('application/pdf');
    for (const text of ['<svg xmlns="http://www.w3.org/2000/svg"/>', '<html>', '', 'RIFF1234WAVE', '12345678WEBP'])
      expect(fileTypeOf(Buffer.from(text))).toBeUndefined();
  });
});
