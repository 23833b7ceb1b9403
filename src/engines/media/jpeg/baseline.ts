import { partsOf, segmentsOf, START_OF_SCAN } from './header.js';

/** A component of an image: luminance, or one of two chrominances. */
export interface JpegPlane {
  /** Number of its blocks per scan unit, horizontally and vertically. */
  readonly across: number;
  readonly down: number;
  /** Quantization steps of its 64 coefficients, in zigzag order. */
  readonly steps: Uint8Array;
  readonly dc: HuffmanCode;
  readonly ac: HuffmanCode;
}

/** A Huffman code as described in its file: the number of codes of 1 to 16 bits, and their symbols. */
export interface HuffmanCode {
  readonly lengths: Uint8Array;
  readonly symbols: Uint8Array;
}

/** A baseline JPEG with all coefficients in one scan. */
export interface BaselineJpeg {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly JpegPlane[];
  /** Number of scan units between two restart markers; 0 for none. */
  readonly restartInterval: number;
  /** Offset of the scan's bits. */
  readonly scanAt: number;
}

const FRAME = 0xc0;
const HUFFMAN_CODES = 0xc4;
const STEPS = 0xdb;
const RESTART_INTERVAL = 0xdd;
const PROFILE = 0xe2;
const ADOBE = 0xee;
const COMMENT = 0xfe;
const YCBCR = 1;

interface FramePlane {
  readonly id: number;
  readonly sampling: number;
  readonly table: number;
}

/**
 * Reads everything before the coefficients.
 * @returns undefined for anything but a baseline JPEG in grey or YCbCr with one scan, and for unusual features,
 * including colour profiles
 */
export function readBaseline(file: Buffer): BaselineJpeg | undefined {
  const header = new Header();
  for (const { marker, body, end } of segmentsOf(partsOf(file))) {
    if (marker === START_OF_SCAN) return header.begin(body, end);
    if (!header.take(marker, body)) return undefined;
  }
  return undefined;
}

class Header {
  private frame: { readonly width: number; readonly height: number; readonly planes: FramePlane[] } | undefined;
  private restartInterval = 0;
  private readonly steps = new Map<number, Uint8Array>();
  private readonly codes = new Map<number, HuffmanCode>();

  /** @returns whether the segment is understood or can be skipped */
  take(marker: number, body: Buffer): boolean {
    switch (marker) {
      case FRAME:
        return this.takeFrame(body);
      case HUFFMAN_CODES:
        return this.takeCodes(body);
      case STEPS:
        return this.takeSteps(body);
      case RESTART_INTERVAL:
        if (body.length === 2) this.restartInterval = body.readUInt16BE();
        return body.length === 2;
      case PROFILE:
        return !body.toString('latin1', 0, 11).startsWith('ICC_PROFILE');
      case ADOBE:
        return body[11] === YCBCR;
      default:
        return (marker >= 0xe0 && marker < 0xf0) || marker === COMMENT;
    }
  }

  begin(scan: Buffer, scanAt: number): BaselineJpeg | undefined {
    const { frame, restartInterval } = this;
    const count = frame?.planes.length ?? 0;
    if (frame === undefined || scan[0] !== count || scan.length !== 4 + 2 * count) return undefined;
    const planes = frame.planes.map(({ id, sampling, table }, index): JpegPlane | undefined => {
      const [name = 0, codes = 0] = scan.subarray(1 + 2 * index);
      const [steps, dc, ac] = [this.steps.get(table), this.codes.get(codes >> 4), this.codes.get(0x10 | (codes & 15))];
      if (name !== id || steps === undefined || dc === undefined || ac === undefined) return undefined;
      // a single component has units of one block
      const [across, down] = count === 1 ? [1, 1] : [sampling >> 4, sampling & 15];
      return { across, down, steps, dc, ac };
    });
    if (!planes.every((plane) => plane !== undefined)) return undefined;
    return { width: frame.width, height: frame.height, planes, restartInterval, scanAt };
  }

  private takeFrame(body: Buffer): boolean {
    if (this.frame !== undefined || body.length < 6) return false;
    const [depth, height, width, count] = [body.readUInt8(), body.readUInt16BE(1), body.readUInt16BE(3), body[5] ?? 0];
    if (depth !== 8 || width === 0 || height === 0) return false;
    if ((count !== 1 && count !== 3) || body.length !== 6 + 3 * count) return false;
    const planes = Array.from({ length: count }, (_, index): FramePlane => {
      const [id = 0, sampling = 0, table = 0] = body.subarray(6 + 3 * index);
      return { id, sampling, table };
    });
    this.frame = { width, height, planes };
    return planes.every(({ id }, index) => id === index + 1);
  }

  private takeSteps(body: Buffer): boolean {
    for (let at = 0; at < body.length; at += 65) {
      const table = body.readUInt8(at);
      const steps = Uint8Array.from(body.subarray(at + 1, at + 65));
      if (table > 3 || steps.length < 64 || steps.includes(0)) return false; // greater than 3: 16-bit steps
      this.steps.set(table, steps);
    }
    return true;
  }

  private takeCodes(body: Buffer): boolean {
    for (let at = 0; at < body.length;) {
      const id = body.readUInt8(at);
      const lengths = Uint8Array.from(body.subarray(at + 1, at + 17));
      const end = at + 17 + lengths.reduce((sum, count) => sum + count, 0);
      const code = { lengths, symbols: Uint8Array.from(body.subarray(at + 17, end)) };
      if (end > body.length || !isSound(code, id >> 4 === 0)) return false;
      this.codes.set(id, code);
      at = end;
    }
    return true;
  }
}

/** Checks that the codes fit their lengths, and that all symbols are valid in a baseline JPEG. */
function isSound({ lengths, symbols }: HuffmanCode, isDc: boolean): boolean {
  const taken = lengths.reduce((sum, count, index) => sum + count * 2 ** (15 - index), 0);
  const isKnown = (symbol: number): boolean =>
    isDc ? symbol <= 11 : symbol === 0 || symbol === 0xf0 || ((symbol & 15) > 0 && (symbol & 15) <= 10);
  return taken <= 2 ** 16 && symbols.every(isKnown);
}
