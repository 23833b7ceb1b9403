import { type BaselineJpeg, type HuffmanCode, type JpegPlane, readBaseline } from './baseline.js';
import { HuffmanReader, huffmanWriter } from './huffman.js';
import { ONE, readBits, Scan, type ScanPlane, writeBits } from './scan.js';

const END_OF_IMAGE = 0xd9;
const FIRST_RESTART = 0xd0;

/** `requantise`, in this thread or another one. */
export type Requantise = (file: Buffer, model: Buffer) => Buffer | undefined | Promise<Buffer | undefined>;

/**
 * Increases the quantization steps of a JPEG without decoding its pixels. The result equals decoding and encoding,
 * except for the rounding to integer colours in between, and takes two thirds of the time.
 * @param file a baseline JPEG, grey or YCbCr, without a colour profile
 * @param model a JPEG with the requested steps, codes and sampling. Steps of `file` that are coarser are kept, since
 * lost detail cannot be restored.
 * @returns undefined if `file` has another type or sampling, or is damaged: then it has to be decoded
 */
export function requantise(file: Buffer, model: Buffer): Buffer | undefined {
  const [from, to] = [readBaseline(file), readBaseline(model)];
  if (from === undefined || to === undefined || !isSampledAlike(from, to)) return undefined;
  const planes = from.planes.map((plane, index) => new Plane(plane, to.planes[index] ?? plane));
  const scan = new Scan(planes, readBits(file, from.scanAt));
  return isWhole(scan, from) ? writeBits(headOf(from, planes), scan.finish()) : undefined;
}

const isSampledAlike = (one: BaselineJpeg, other: BaselineJpeg): boolean =>
  one.planes.length === other.planes.length &&
  one.planes.every(
    ({ across, down }, index) => across === other.planes[index]?.across && down === other.planes[index]?.down,
  );

/** A component in the source and in the result. */
class Plane implements ScanPlane {
  readonly blocks: number;
  readonly steps: Uint8Array;
  readonly factors: Int32Array;
  readonly dc: HuffmanReader;
  readonly ac: HuffmanReader;
  readonly dcCodes: Int32Array;
  readonly acCodes: Int32Array;

  constructor(
    from: JpegPlane,
    readonly to: JpegPlane,
  ) {
    this.blocks = from.across * from.down;
    this.steps = from.steps.map((step, index) => Math.max(step, to.steps[index] ?? step));
    this.factors = Int32Array.from(from.steps, (step, index) => Math.round((ONE * step) / (this.steps[index] ?? step)));
    [this.dc, this.ac] = [new HuffmanReader(from.dc), new HuffmanReader(from.ac)];
    [this.dcCodes, this.acCodes] = [huffmanWriter(to.dc), huffmanWriter(to.ac)];
  }
}

/** Processes a scan. @returns whether it is complete */
function isWhole(scan: Scan, jpeg: BaselineJpeg): boolean {
  const units = unitsOf(jpeg);
  const interval = jpeg.restartInterval || units;
  for (let unit = 0, restarts = 0; unit < units; unit += 1) {
    if (unit > 0 && unit % interval === 0 && scan.marker() !== FIRST_RESTART + (restarts++ & 7)) return false;
    if (!scan.unit()) return false;
  }
  return scan.marker() === END_OF_IMAGE;
}

/** Each unit covers as many pixels as one block of the component with the lowest resolution. */
function unitsOf({ width, height, planes }: BaselineJpeg): number {
  const across = Math.max(...planes.map((plane) => plane.across));
  const down = Math.max(...planes.map((plane) => plane.down));
  return Math.ceil(width / (8 * across)) * Math.ceil(height / (8 * down));
}

/** Writes everything before the coefficients. */
function headOf({ width, height }: BaselineJpeg, planes: readonly Plane[]): Buffer {
  const frame = planes.flatMap(({ to }, index) => [index + 1, (to.across << 4) | to.down, index]);
  const codes = planes.slice(0, 2).map(({ to: { dc, ac } }, index) => codesOf(index, dc, ac));
  const scan = planes.flatMap((_, index) => [index + 1, index === 0 ? 0 : 0x11]);
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    ...planes.map(({ steps }, index) => segment(0xdb, Buffer.of(index, ...steps))),
    segment(0xc0, [8, height >> 8, height & 255, width >> 8, width & 255, planes.length, ...frame]),
    ...codes,
    segment(0xda, [planes.length, ...scan, 0, 63, 0]),
  ]);
}

const codesOf = (index: number, dc: HuffmanCode, ac: HuffmanCode): Buffer =>
  segment(0xc4, [index, ...dc.lengths, ...dc.symbols, 0x10 | index, ...ac.lengths, ...ac.symbols]);

const segment = (marker: number, body: ArrayLike<number>): Buffer =>
  Buffer.concat([Buffer.of(0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255), Uint8Array.from(body)]);
