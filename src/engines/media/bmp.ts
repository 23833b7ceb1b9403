import type { Raster, RasterFormat } from './raster.js';

interface BmpHeader {
  width: number;
  height: number;
  topDown: boolean;
  bits: number;
  pixels: number;
  palette: Buffer;
  masks: readonly [number, number, number];
}

/** Windows bitmaps without compression: 1, 4, 8, 16, 24 and 32 bits a pixel, with palette or bit masks. */
export const bmp: RasterFormat = {
  name: 'bmp',
  matches: (file) => file.length > 26 && file.toString('latin1', 0, 2) === 'BM',
  readSize: (file) => {
    const { width, height } = readHeader(file);
    return { width, height };
  },
  decode,
};

const uncompressed = 0;
const bitFields = 3;

function readHeader(file: Buffer): BmpHeader {
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

/** Three bytes (red, green, blue) for each possible index. */
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

function decode(file: Buffer): Raster {
  const header = readHeader(file);
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

/** Cuts the bits under a mask out of a pixel and scales them to 0 … 255. */
function channelReader(mask: number): (pixel: number) => number {
  if (mask === 0) return () => 0;
  const shift = 31 - Math.clz32(mask & -mask);
  const largest = mask >>> shift;
  return (pixel) => Math.round((((pixel & mask) >>> shift) * 255) / largest);
}
