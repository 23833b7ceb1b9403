import type { HuffmanCode } from './baseline.js';

/** Codes of so many bits, with the number that follows them where there is room, are found by one look. */
export const LOOK = 10;
const LONGEST = 16;

/** What is seen with the next bits: fields of one number. */
export const SEEN = {
  /** Mask: how many bits are used up. */
  used: 31,
  /** Bit: the number that follows the code is there, too, and its bits are among those used up. */
  valued: 32,
  /** Shift: the code's symbol, of eight bits. */
  symbol: 8,
  /** Shift: the number, with its sign. */
  value: 16,
} as const;

/** A Huffman code made ready to be read. */
export class HuffmanReader {
  /** By the next bits: see `SEEN`; 0 where the code is longer, or none. */
  readonly seen = new Int32Array(1 << LOOK);
  private readonly symbols: Uint8Array;
  /** By length: one more than the greatest code, as if it had 16 bits. */
  private readonly ends = new Int32Array(LONGEST + 1);
  /** By length: what leads from a code to its symbol. */
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
   * A code that is longer than a look.
   * @param bits the next 16
   * @returns its length, and its symbol as `SEEN` has it; 0 when there is none
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

/** The number that `size` bits after a code stand for (T.81, F.2.2.1: "extend"). */
export const signed = (bits: number, size: number): number =>
  size > 0 && bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits;

/** A Huffman code made ready to be written: by symbol, the code and below it, in five bits, its length. */
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
