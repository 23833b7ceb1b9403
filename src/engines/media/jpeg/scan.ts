import { type HuffmanReader, LOOK, SEEN, signed } from './huffman.js';

const FIRST_RESTART = 0xd0;
const LAST_RESTART = 0xd7;
/** Number of padding bytes after the bits, so that a reader need not check for their end. */
export const MARGIN = 4096;

/** A part of a scan up to a marker. */
interface Section {
  /** In bytes. */
  readonly end: number;
  readonly marker: number;
}

/** The bits of a scan, without the zero bytes that escape 0xFF bytes. */
export interface ScanBits {
  /** Includes the zero padding. */
  readonly view: DataView;
  readonly sections: readonly Section[];
}

/** @param at offset of the bits */
export function readBits(file: Buffer, at: number): ScanBits {
  const bytes = Buffer.alloc(file.length - at + MARGIN);
  const sections: Section[] = [];
  let end = 0;
  for (let [from, mark] = [at, file.indexOf(0xff, at)]; mark >= 0; mark = file.indexOf(0xff, from)) {
    end += file.copy(bytes, end, from, mark);
    const marker = file[mark + 1] ?? 0;
    from = mark + 2;
    if (marker === 0) bytes[end++] = 0xff;
    else sections.push({ end, marker });
    if (marker !== 0 && (marker < FIRST_RESTART || marker > LAST_RESTART)) break;
  }
  return { view: new DataView(bytes.buffer, bytes.byteOffset), sections };
}

/** Writes the bits of a scan as in a file, between its head and the end marker. */
export function writeBits(head: Buffer, bits: Buffer): Buffer {
  const pieces = [head];
  for (let from = 0; from < bits.length;) {
    const mark = bits.indexOf(0xff, from);
    const end = mark < 0 ? bits.length : mark + 1;
    pieces.push(bits.subarray(from, end));
    if (mark >= 0) pieces.push(ZERO);
    from = end;
  }
  return Buffer.concat([...pieces, END]);
}

const ZERO = Buffer.of(0);
const END = Buffer.of(0xff, 0xd9);

/** One component of an image during requantization. */
export interface ScanPlane {
  /** Number of blocks per scan unit. */
  readonly blocks: number;
  readonly dc: HuffmanReader;
  readonly ac: HuffmanReader;
  readonly dcCodes: Int32Array;
  readonly acCodes: Int32Array;
  /** Ratio of old to new steps, at most 1, in zigzag order, in units of `ONE`. */
  readonly factors: Int32Array;
}

const ONE_BITS = 16;
export const ONE = 1 << ONE_BITS;
const HALF = ONE / 2;
/**
 * Added before a number is truncated to whole steps, so that halves round towards zero. If the new steps are exactly
 * twice the old ones, as from quality 85 to 70, every ±1 is such a half. Both neighbours are equally far from the value
 * in the file. Zero is closer to the original, since small coefficients are more frequent than large ones, and takes
 * fewer bits.
 */
const BEFORE_CUT = HALF - 1;
/** Maximum difference between the means of consecutive blocks. */
const MAX_DC = 2047;
const ZEROS_16 = 0xf0;
const END_OF_BLOCK = 0;

/**
 * Reads a scan and writes it with coarser steps. No unit is longer than the padding after the bits, so their end is
 * checked only once per unit.
 */
export class Scan {
  private bit = 0;
  private section = 0;
  private out: DataView;
  private end = 0;
  /** Bits that are not written yet: the upper `heldCount` of these, fewer than eight. */
  private held = 0;
  private heldCount = 0;
  private readonly means: Int32Array;
  private readonly writtenMeans: Int32Array;

  constructor(
    private readonly planes: readonly ScanPlane[],
    private readonly bits: ScanBits,
  ) {
    this.means = new Int32Array(planes.length);
    this.writtenMeans = new Int32Array(planes.length);
    this.out = new DataView(new ArrayBuffer(bits.view.byteLength));
  }

  /** @returns whether the next unit appears valid */
  unit(): boolean {
    this.makeRoom();
    for (let index = 0; index < this.planes.length; index += 1) {
      const plane = this.planes[index] as ScanPlane;
      for (let block = 0; block < plane.blocks; block += 1) if (!this.block(plane, index)) return false;
    }
    return this.bit <= 8 * (this.bits.sections[this.section]?.end ?? 0);
  }

  /** Continues after the next marker. @returns the marker; undefined if bits are left, or there is none */
  marker(): number | undefined {
    const section = this.bits.sections[this.section];
    if (section === undefined || 8 * section.end - this.bit > 7) return undefined;
    this.section += 1;
    this.bit = 8 * section.end;
    this.means.fill(0);
    return section.marker;
  }

  /** Returns the written bits; ones fill the last byte. */
  finish(): Buffer {
    this.makeRoom();
    const spare = (8 - this.heldCount) & 7;
    this.out.setUint32(this.end, this.held | (((1 << spare) - 1) << 24));
    return Buffer.from(this.out.buffer, 0, this.end + (this.heldCount > 0 ? 1 : 0));
  }

  private makeRoom(): void {
    if (this.end + MARGIN <= this.out.byteLength) return;
    const larger = Buffer.alloc(2 * this.out.byteLength);
    larger.set(new Uint8Array(this.out.buffer));
    this.out = new DataView(larger.buffer, larger.byteOffset);
  }

  /**
   * Processes one block: writes a number, then reads up to the next one that is not zero in the new steps. Almost all
   * time is spent here, so this is a single loop over local variables with as few branches as possible.
   * @returns whether the block is valid
   */
  private block(plane: ScanPlane, index: number): boolean {
    const mean = this.mean(plane, index);
    if (mean === undefined) return false;
    const { out } = this;
    const { view } = this.bits;
    const { ac, acCodes, factors } = plane;
    const { seen: table } = ac;
    let { bit, end, held, heldCount } = this;
    let magnitude = Math.abs(mean);
    let sign = mean >> 31;
    let codes = plane.dcCodes;
    let [position, last, zeros] = [0, 0, 0];
    for (;;) {
      const size = 32 - Math.clz32(magnitude);
      const code = codes[(zeros << 4) | size] as number;
      let bits = ((code >> 5) << size) | ((magnitude ^ sign) & ((1 << size) - 1));
      let count = heldCount + (code & 31) + size;
      if (count >= 32) {
        out.setUint32(end, held | ((bits >>> 16) << (48 - count)));
        held = (held | ((bits >>> 16) << (48 - count))) << ((count - 16) & 24);
        end += (count - 16) >> 3;
        count = (count & 7) + 16;
        bits &= 0xffff;
      }
      held |= bits << (32 - count);
      out.setUint32(end, held);
      end += count >> 3;
      held <<= count & 24;
      heldCount = count & 7;
      if (position >= 63) break;

      codes = acCodes;
      magnitude = 0;
      while (magnitude === 0 && position < 63) {
        const word = view.getUint32(bit >>> 3) << (bit & 7);
        let seen = table[word >>> (32 - LOOK)] as number;
        if (seen === 0) seen = ac.seenLong(word >>> 16);
        bit += seen & SEEN.used;
        const symbol = (seen >>> SEEN.symbol) & 0xff;
        let value = seen >> SEEN.value;
        if ((seen & SEEN.valued) === 0) {
          if (seen === 0) return false;
          value = valueAt(view, bit, symbol & 15);
          bit += symbol & 15;
        }
        if (symbol === END_OF_BLOCK) break;
        position += (symbol >> 4) + 1;
        if (position > 63) return false;
        sign = value >> 31;
        magnitude = (Math.imul((value ^ sign) - sign, factors[position] as number) + BEFORE_CUT) >> ONE_BITS;
      }
      zeros = 0;
      if (magnitude === 0) position = 64;
      else {
        for (zeros = position - last - 1; zeros > 15; zeros -= 16) {
          const code16 = codes[ZEROS_16] as number;
          const count16 = heldCount + (code16 & 31);
          held |= (code16 >> 5) << (32 - count16);
          out.setUint32(end, held);
          end += count16 >> 3;
          held <<= count16 & 24;
          heldCount = count16 & 7;
        }
        last = position;
      }
    }
    this.bit = bit;
    this.end = end;
    this.held = held;
    this.heldCount = heldCount;
    return true;
  }

  /** The first number of a block: the difference between its mean and that of the previous block, in new steps. */
  private mean(plane: ScanPlane, index: number): number | undefined {
    const { view } = this.bits;
    const word = view.getUint32(this.bit >>> 3) << (this.bit & 7);
    let seen = plane.dc.seen[word >>> (32 - LOOK)] as number;
    if (seen === 0) seen = plane.dc.seenLong(word >>> 16);
    if (seen === 0) return undefined;
    const size = (seen & SEEN.valued) === 0 ? (seen >>> SEEN.symbol) & 0xff : 0;
    this.bit += seen & SEEN.used;
    const value = (seen & SEEN.valued) === 0 ? valueAt(view, this.bit, size) : seen >> SEEN.value;
    this.bit += size;
    const mean = (this.means[index] as number) + value;
    this.means[index] = mean;
    const coarse = Math.sign(mean) * Math.floor((Math.abs(mean) * (plane.factors[0] as number) + HALF) / ONE);
    const difference = coarse - (this.writtenMeans[index] as number);
    this.writtenMeans[index] = coarse;
    return Math.abs(difference) > MAX_DC ? undefined : difference;
  }
}

const valueAt = (view: DataView, bit: number, size: number): number =>
  size === 0 ? 0 : signed((view.getUint32(bit >>> 3) << (bit & 7)) >>> (32 - size), size);
