import { strToU8, zipSync } from 'fflate';
import { readChunk } from './chunk';

/** Stored without compression, as on the server. */
const zip = (members: Record<string, string>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(members).map(([name, text]) => [name, strToU8(text)])), { level: 0 });

describe('readChunk', () => {
  it('reads images in the order of frames', async () => {
    const images = readChunk(zip({ '000001.PNG': 'second', '000000.jpeg': 'first' }));
    expect(images.map(({ type }) => type)).toEqual(['image/jpeg', 'image/png']);
    expect(await Promise.all(images.map((image) => image.text()))).toEqual(['first', 'second']);
  });

  it('rejects other files', () => {
    expect(() => readChunk(strToU8('no zip at all'))).toThrow();
    expect(() => readChunk(zip({ '../x.png': '' }))).toThrow('"../x.png"');
  });
});
