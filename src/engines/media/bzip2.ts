import { createRequire } from 'node:module';

/** Reads bits; with null, it goes on at the next whole byte. */
type BitReader = ((bits: number | null) => number) & { readonly bytesRead: number };

/** The decoder of the package. Its stream decodes all that it has got at once: gigabytes from a few kilobytes. */
interface Decoder {
  /** @returns the size of blocks in units of 100,000 bytes */
  header(bits: BitReader): number;
  /** Decodes a block. @returns its checksum combined with the previous ones; null at the end of a stream */
  decompress(
    bits: BitReader,
    found: (byte: number) => void,
    memory: Int32Array,
    size: number,
    checksum: number,
  ): number | null;
}

const require = createRequire(import.meta.url);
const decoder = require('unbzip2-stream/lib/bzip2.js') as Decoder;
const bitIterator = require('unbzip2-stream/lib/bit_iterator.js') as (next: () => Uint8Array | undefined) => BitReader;

const UNIT = 100_000;
/** The most bytes that a block takes besides its content. */
const OVERHEAD = 25_000;
const PIECE = 2 ** 20;

/**
 * Decompresses bzip2, block by block: a block has up to 46 MB, and the next one is decoded when it is wanted.
 * @throws Error if the data is broken
 */
export async function* unbzip2(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const input = new Input(compressed);
  const bits = bitIterator(() => input.take());
  while (await input.has(bits, 1)) {
    await input.has(bits, 4);
    const size = UNIT * decoder.header(bits);
    const memory = new Int32Array(size);
    for (let checksum: number | null = 0; checksum !== null;) {
      await input.has(bits, OVERHEAD + size);
      const output = new Output();
      checksum = decoder.decompress(bits, output.add, memory.fill(0), size, checksum);
      yield* output.pieces();
    }
  }
}

/** Compressed bytes that have been read. */
class Input {
  private readonly pieces: AsyncIterator<Uint8Array>;
  /** The reader takes the first piece before there is one. */
  private readonly waiting: Uint8Array[] = [new Uint8Array()];
  private length = 0;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.pieces = pieces[Symbol.asyncIterator]();
  }

  /** Reads until there are so many bytes, if possible. @returns false at the end */
  async has({ bytesRead }: BitReader, bytes: number): Promise<boolean> {
    while (this.length - bytesRead < bytes) {
      const next = await this.pieces.next();
      if (next.done === true) break;
      if (next.value.length > 0) this.waiting.push(next.value);
      this.length += next.value.length;
    }
    return this.length > bytesRead;
  }

  /** @throws Error if there are no more bytes */
  take(): Uint8Array {
    const next = this.waiting.shift();
    if (next === undefined) throw new Error('The compressed data ends early');
    return next;
  }
}

/** The bytes of a block. */
class Output {
  private readonly full: Buffer[] = [];
  private piece = Buffer.allocUnsafe(PIECE);
  private length = 0;

  readonly add = (byte: number): void => {
    if (this.length === PIECE) {
      this.full.push(this.piece);
      this.piece = Buffer.allocUnsafe(PIECE);
      this.length = 0;
    }
    this.piece[this.length++] = byte;
  };

  *pieces(): Generator<Buffer> {
    yield* this.full;
    if (this.length > 0) yield this.piece.subarray(0, this.length);
  }
}
