import type { HuffmanCode } from './baseline.js';

/** Codes of up to this many bits are decoded by one table lookup, including the following number if it fits. */
export const LOOK = 10;
const LONGEST = 16;

/** Bit fields of an entry in the lookup table. */
export const SEEN = {
  /** Mask: number of bits consumed. */
  used: 31,
  /** Bit: the entry includes the number after the code, and its bits count as consumed. */
  valued: 32,
  /** Shift: the code's 8-bit symbol. */
  symbol: 8,
  /** Shift: the signed number. */
  value: 16,
} as const;

/** A Huffman code prepared for decoding. */
export class HuffmanReader {
  /** Indexed by the next bits, see `SEEN`; 0 if the code is longer or invalid. */
  readonly seen = new Int32Array(1 << LOOK);
  private readonly symbols: Uint8Array;
  /** Indexed by length: the greatest code plus one, left-aligned to 16 bits. */
  private readonly ends = new Int32Array(LONGEST + 1);
  /** Indexed by length: the offset from a code to its symbol. */
  private readonly offsets = new Int32Array(LONGEST + 1);

  constructor({ lengths, symbols }: HuffmanCode) {
    this.symbols = symbols;
    let [code, index] = [0, 0];
    for (let length = 1; length <= LONGEST; length += 1) {
      this.offsets[length] = index - code;
      for (let count = lengths[length - 1] ?? 0; count > 0; count -= 1) {
        if (length <= LOOK) this.enter(code, length, symbols[index] ?? 0);
        code += 1;
        index += 1;
      }
      this.ends[length] = code << (LONGEST - length);
      code <<= 1;
    }
  }

  /**
   * Decodes a code that is too long for the table.
   * @param bits the next 16
   * @returns its length and symbol in the format of `SEEN`; 0 if it is invalid
   */
  seenLong(bits: number): number {
    for (let length = LOOK + 1; length <= LONGEST; length += 1) {
      if (bits >= (this.ends[length] ?? 0)) continue;
      const symbol = this.symbols[(bits >> (LONGEST - length)) + (this.offsets[length] ?? 0)] ?? 0;
      return (symbol << SEEN.symbol) | length;
    }
    return 0;
  }

  private enter(code: number, length: number, symbol: number): void {
    const [free, size] = [LOOK - length, symbol & 15];
    for (let rest = 0; rest < 1 << free; rest += 1) {
      const isValued = size <= free;
      const value = isValued ? signed(rest >> (free - size), size) : 0;
      const used = isValued ? (length + size) | SEEN.valued : length;
      this.seen[(code << free) | rest] = (value << SEEN.value) | (symbol << SEEN.symbol) | used;
    }
  }
}

/** Decodes the `size` bits after a code to a signed number (T.81, F.2.2.1: "extend"). */
export const signed = (bits: number, size: number): number =>
  size > 0 && bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits;

/** A Huffman code prepared for encoding. Indexed by symbol: the code, with its length in the lowest five bits. */
export function huffmanWriter({ lengths, symbols }: HuffmanCode): Int32Array {
  const codes = new Int32Array(256);
  let [code, index] = [0, 0];
  for (let length = 1; length <= LONGEST; length += 1) {
    for (let count = lengths[length - 1] ?? 0; count > 0; count -= 1) {
      codes[symbols[index] ?? 0] = (code << 5) | length;
      code += 1;
      index += 1;
    }
    code <<= 1;
  }
  return codes;
}
