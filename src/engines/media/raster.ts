/** Uncompressed pixels, 8 bits per channel, top row first. */
export interface Raster {
  width: number;
  height: number;
  channels: 1 | 3;
  data: Buffer;
}

/** A decoder for a format that the shipped libvips does not read. */
export interface RasterFormat {
  name: string;
  matches(file: Buffer): boolean;
  /** @throws RangeError or TypeError for a corrupt file or an unknown variant */
  readSize(file: Buffer): { width: number; height: number };
  /** The caller has read the size and checked it against the limits. */
  decode(file: Buffer): Raster;
}

interface BmpHeader {
  width: number;
  height: number;
  topDown: boolean;
  bits: number;
  pixels: number;
  palette: Buffer;
  masks: readonly [number, number, number];
}

/** Windows bitmaps without compression: 1, 4, 8, 16, 24 and 32 bits per pixel, with palette or bit masks. */
export const bmp: RasterFormat = {
  name: 'bmp',
  matches: (file) => file.length > 26 && file.toString('latin1', 0, 2) === 'BM',
  readSize: (file) => {
    const { width, height } = readBmpHeader(file);
    return { width, height };
  },
  decode: decodeBmp,
};

const uncompressed = 0;
const bitFields = 3;

function readBmpHeader(file: Buffer): BmpHeader {
  const headerSize = file.readUInt32LE(14);
  const old = headerSize === 12;
  const width = old ? file.readUInt16LE(18) : file.readInt32LE(18);
  const signedHeight = old ? file.readInt16LE(20) : file.readInt32LE(22);
  const bits = file.readUInt16LE(old ? 24 : 28);
  const compression = old ? uncompressed : file.readUInt32LE(30);
  const supported = compression === uncompressed || (compression === bitFields && (bits === 16 || bits === 32));
  if (width <= 0 || signedHeight === 0 || !supported) throw new RangeError('unknown variant of BMP');
  const pixels = file.readUInt32LE(10);
  const header = { width, height: Math.abs(signedHeight), topDown: signedHeight < 0, bits, pixels };
  const masks =
    compression === bitFields
      ? ([file.readUInt32LE(54), file.readUInt32LE(58), file.readUInt32LE(62)] as const)
      : bits === 16
        ? ([0x7c00, 0x3e0, 0x1f] as const)
        : ([0xff0000, 0xff00, 0xff] as const);
  return { ...header, palette: readPalette(file, headerSize, bits), masks };
}

/** Three bytes (red, green, blue) per possible index. */
function readPalette(file: Buffer, headerSize: number, bits: number): Buffer {
  if (bits > 8) return Buffer.alloc(0);
  const bytes = headerSize === 12 ? 3 : 4;
  const used = headerSize === 12 ? 0 : file.readUInt32LE(46);
  const count = Math.min(used || 2 ** bits, 2 ** bits);
  const palette = Buffer.alloc(256 * 3);
  for (let i = 0; i < count; i++) {
    const at = 14 + headerSize + i * bytes;
    palette[i * 3] = file.readUInt8(at + 2);
    palette[i * 3 + 1] = file.readUInt8(at + 1);
    palette[i * 3 + 2] = file.readUInt8(at);
  }
  return palette;
}

function decodeBmp(file: Buffer): Raster {
  const header = readBmpHeader(file);
  const { width, height, bits } = header;
  const stride = Math.ceil((width * bits) / 32) * 4;
  if (header.pixels + stride * height > file.length) throw new RangeError('BMP ends early');
  const data = Buffer.allocUnsafe(width * height * 3);
  const writeRow = rowWriter(header);
  for (let y = 0; y < height; y++) {
    const row = file.subarray(header.pixels + stride * (header.topDown ? y : height - 1 - y));
    writeRow(row, data.subarray(y * width * 3, (y + 1) * width * 3));
  }
  return { width, height, channels: 3, data };
}

function rowWriter({ width, bits, palette, masks }: BmpHeader): (row: Buffer, out: Buffer) => void {
  switch (bits) {
    case 1:
    case 4:
    case 8:
      return (row, out) => {
        for (let x = 0; x < width; x++) {
          const bit = x * bits;
          const index = ((row[bit >> 3] ?? 0) >> (8 - bits - (bit & 7))) & (2 ** bits - 1);
          palette.copy(out, x * 3, index * 3, index * 3 + 3);
        }
      };
    case 24:
      return (row, out) => {
        for (let at = 0; at < width * 3; at += 3) {
          out[at] = row[at + 2] ?? 0;
          out[at + 1] = row[at + 1] ?? 0;
          out[at + 2] = row[at] ?? 0;
        }
      };
    case 16:
    case 32: {
      const channels = masks.map(channelReader);
      return (row, out) => {
        for (let x = 0; x < width; x++) {
          const pixel = bits === 16 ? row.readUInt16LE(x * 2) : row.readUInt32LE(x * 4);
          channels.forEach((channel, at) => (out[x * 3 + at] = channel(pixel)));
        }
      };
    }
    default:
      throw new RangeError(`BMP with ${bits} bits a pixel`);
  }
}

/** Extracts the bits of a mask from a pixel and scales them to 0 … 255. */
function channelReader(mask: number): (pixel: number) => number {
  if (mask === 0) return () => 0;
  const shift = 31 - Math.clz32(mask & -mask);
  const largest = mask >>> shift;
  return (pixel) => Math.round((((pixel & mask) >>> shift) * 255) / largest);
}

interface PnmHeader {
  /** P1 … P6. */
  variant: number;
  width: number;
  height: number;
  largest: number;
  /** Offset of the pixels. */
  pixels: number;
}

/** Portable bitmap, graymap and pixmap: P1 to P6, up to 16 bits per channel. */
export const pnm: RasterFormat = {
  name: 'ppm',
  matches: (file) => /^P[1-6][\s#]/.test(file.toString('latin1', 0, 3)),
  readSize: (file) => {
    const { width, height } = readPnmHeader(file);
    return { width, height };
  },
  decode: decodePnm,
};

const headerLimit = 4096;
const isBitmap = (variant: number) => variant === 1 || variant === 4;

function readPnmHeader(file: Buffer): PnmHeader {
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

function decodePnm(file: Buffer): Raster {
  const header = readPnmHeader(file);
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

/** Reads numbers in text form; in P1 they need not be separated. */
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
