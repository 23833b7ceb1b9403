const FIRST_RESTART = 0xd0;
const LAST_RESTART = 0xd7;
/** Behind the bits there is so much that a reader need not look where they end. */
export const MARGIN = 4096;

/** A piece of a scan up to a marker. */
interface Section {
  /** In bytes. */
  readonly end: number;
  readonly marker: number;
}

/** The bits of a scan, without the zeros that tell its bytes of 255 from markers. */
export interface ScanBits {
  /** With zeros behind them. */
  readonly view: DataView;
  readonly sections: readonly Section[];
}

/** @param at where the bits begin */
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

/** The bits of a scan as they stand in a file, between its head and the end mark. */
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
