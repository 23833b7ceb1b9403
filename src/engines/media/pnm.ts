import type { Raster, RasterFormat } from './raster.js';

interface PnmHeader {
  /** P1 … P6. */
  variant: number;
  width: number;
  height: number;
  largest: number;
  /** Where the pixels begin. */
  pixels: number;
}

/** Portable bitmap, graymap and pixmap: P1 to P6, up to 16 bits a channel. */
export const pnm: RasterFormat = {
  name: 'ppm',
  matches: (file) => /^P[1-6][\s#]/.test(file.toString('latin1', 0, 3)),
  readSize: (file) => {
    const { width, height } = readHeader(file);
    return { width, height };
  },
  decode,
};

const headerLimit = 4096;
const isBitmap = (variant: number) => variant === 1 || variant === 4;

function readHeader(file: Buffer): PnmHeader {
  const text = file.toString('latin1', 0, headerLimit);
  const variant = Number(text[1]);
  const number = /(?:\s|#[^\n]*\n)*(\d{1,9})/y;
  number.lastIndex = 2;
  const next = () => {
    const value = Number(number.exec(text)?.[1]);
    if (!(value > 0)) throw new RangeError('broken PNM header');
    return value;
  };
  const width = next();
  const height = next();
  const largest = isBitmap(variant) ? 1 : next();
  if (largest > 65535) throw new RangeError('PNM with more than 16 bits');
  return { variant, width, height, largest, pixels: number.lastIndex + 1 };
}

function decode(file: Buffer): Raster {
  const header = readHeader(file);
  const { variant, width, height, largest } = header;
  const channels = variant % 3 === 0 ? 3 : 1;
  const count = width * height * channels;
  const samples =
    variant === 4
      ? unpackBits(file, header)
      : variant > 3
        ? unpackBytes(file, header, count)
        : plain(file, header, count);
  const data = Buffer.allocUnsafe(count);
  for (let i = 0; i < count; i++) {
    const value = Math.min(1, (samples[i] ?? 0) / largest);
    // In bitmaps 1 is black.
    data[i] = Math.round(255 * (isBitmap(variant) ? 1 - value : value));
  }
  return { width, height, channels, data };
}

function unpackBytes(file: Buffer, { largest, pixels }: PnmHeader, count: number): ArrayLike<number> {
  const bytes = largest > 255 ? 2 : 1;
  requireBytes(file, pixels + count * bytes);
  if (bytes === 1) return file.subarray(pixels, pixels + count);
  return Uint16Array.from({ length: count }, (_, i) => file.readUInt16BE(pixels + i * 2));
}

function unpackBits(file: Buffer, { width, height, pixels }: PnmHeader): ArrayLike<number> {
  const stride = Math.ceil(width / 8);
  requireBytes(file, pixels + stride * height);
  const bits = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      bits[y * width + x] = ((file[pixels + y * stride + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1;
    }
  }
  return bits;
}

/** Numbers as text; in P1 they may stand without blanks between them. */
function plain(file: Buffer, { variant, pixels }: PnmHeader, count: number): ArrayLike<number> {
  requireBytes(file, pixels + count);
  const samples = new Uint16Array(count);
  let at = pixels;
  for (let i = 0; i < count; i++) {
    while (at < file.length && !isDigit(file[at])) at++;
    if (at >= file.length) throw new RangeError('PNM ends early');
    let value = (file[at++] ?? 0) - zero;
    if (variant !== 1) while (isDigit(file[at])) value = value * 10 + (file[at++] ?? 0) - zero;
    samples[i] = Math.min(value, 65535);
  }
  return samples;
}

const zero = 0x30;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= zero + 9;
}

function requireBytes(file: Buffer, length: number): void {
  if (file.length < length) throw new RangeError('PNM ends early');
}
