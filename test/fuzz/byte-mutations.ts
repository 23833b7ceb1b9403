import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { Random } from './random.js';
import { LARGEST } from './text-mutations.js';

const EXTREMES = [
  0,
  1,
  2,
  127,
  128,
  255,
  256,
  2 ** 15,
  2 ** 16 - 1,
  2 ** 16,
  2 ** 24,
  400_000_000,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
];

type Mutation = (bytes: Buffer, random: Random) => Buffer;

/** A number of 1, 2, 4 or 8 bytes in place of others. */
const otherNumber: Mutation = (bytes, random) => {
  const copy = Buffer.from(bytes);
  const width = random.pick([1, 2, 4, 4, 8]);
  if (copy.length < width) return copy;
  const at = random.below(copy.length - width + 1);
  const value = Buffer.alloc(8);
  value.writeBigUInt64LE(BigInt(random.chance(0.8) ? random.pick(EXTREMES) : random.below(2 ** 32)));
  const part = value.subarray(0, width);
  part.copy(copy, at);
  if (random.chance(0.5)) copy.subarray(at, at + width).reverse();
  return copy;
};

/** A number of variable length, as in Parquet and Protocol Buffers, in place of one byte. */
const variableNumber: Mutation = (bytes, random) => {
  const at = random.below(bytes.length + 1);
  const written: number[] = [];
  for (let value = BigInt(random.pick(EXTREMES)) * BigInt(random.pick([1, 2, 2 ** 20])); ; value >>= 7n) {
    written.push(Number(value & 127n) | (value > 127n ? 128 : 0));
    if (value <= 127n) break;
  }
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(written), bytes.subarray(at + random.below(3))]);
};

const otherBits: Mutation = (bytes, random) => {
  const copy = Buffer.from(bytes);
  for (let count = random.size(20); count > 0 && copy.length > 0; count--) {
    const at = random.below(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
  }
  return copy;
};

const repeatedPart: Mutation = (bytes, random) => {
  const start = random.below(bytes.length + 1);
  const part = bytes.subarray(start, start + random.size(1000));
  if (part.length === 0) return bytes;
  const count = Math.min(random.size(100_000), Math.floor(LARGEST / part.length));
  return Buffer.concat([bytes.subarray(0, start), ...Array.from({ length: count }, () => part), bytes.subarray(start)]);
};

const removedPart: Mutation = (bytes, random) => {
  const start = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + random.size(1000))]);
};

const cutOff: Mutation = (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1));

const sameBytes: Mutation = (bytes, random) => {
  const start = random.below(bytes.length + 1);
  return Buffer.from(bytes).fill(
    random.pick([0, 255, 0x20, 0x80]),
    start,
    Math.min(bytes.length, start + random.size(1000)),
  );
};

const MUTATIONS = [
  otherNumber,
  otherNumber,
  otherNumber,
  variableNumber,
  variableNumber,
  otherBits,
  repeatedPart,
  removedPart,
  cutOff,
  sameBytes,
];

/** The bytes with some damage. */
export function mutatedBytes(bytes: Buffer, random: Random): Buffer {
  if (isPng(bytes) && random.chance(0.8)) return mutatedPng(bytes, random);
  let mutated = bytes;
  for (let steps = 1 + random.below(3); steps > 0; steps--)
    mutated = random.pick(MUTATIONS)(mutated, random).subarray(0, LARGEST);
  return mutated;
}

const isPng = (bytes: Buffer): boolean => bytes.length > 33 && bytes.readUInt32BE(0) === 0x89504e47;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** A PNG whose checksums are right, so that its content is read. */
function mutatedPng(bytes: Buffer, random: Random): Buffer {
  const chunks = chunksOf(bytes);
  const changed = chunks.flatMap((chunk): Chunk[] => {
    if (chunk.type === 'IHDR') return [random.chance(0.5) ? otherHeader(chunk, random) : chunk, ...addedChunks(random)];
    if (chunk.type === 'IDAT' && random.chance(0.5)) return [{ type: 'IDAT', data: otherPixels(chunk.data, random) }];
    if (random.chance(0.2)) return random.chance(0.5) ? [] : Array.from({ length: random.size(1000) }, () => chunk);
    return [random.chance(0.1) ? { ...chunk, data: mutatedBytesOnly(chunk.data, random) } : chunk];
  });
  return pngOf(changed).subarray(0, 2 * LARGEST);
}

const mutatedBytesOnly = (data: Buffer, random: Random): Buffer => random.pick(MUTATIONS)(data, random);

function otherHeader({ type, data }: Chunk, random: Random): Chunk {
  const copy = Buffer.from(data);
  if (random.chance(0.5)) copy.writeUInt32BE(random.pick(EXTREMES), random.pick([0, 4]));
  if (random.chance(0.5)) copy[8] = random.pick([1, 2, 4, 8, 16, 32]);
  if (random.chance(0.5)) copy[9] = random.pick([0, 2, 3, 4, 6, 7]);
  if (random.chance(0.3)) copy[12] = random.pick([0, 1, 2]);
  return { type, data: copy };
}

let bomb: Buffer | undefined;
/** Half a megabyte that becomes half a gigabyte. */
const largeZeros = (): Buffer => (bomb ??= deflateSync(Buffer.alloc(2 ** 29), { level: 9 }));

function otherPixels(data: Buffer, random: Random): Buffer {
  if (random.chance(0.3)) return largeZeros();
  try {
    return deflateSync(mutatedBytesOnly(inflateSync(data), random));
  } catch {
    return mutatedBytesOnly(data, random);
  }
}

function addedChunks(random: Random): Chunk[] {
  if (!random.chance(0.3)) return [];
  const type = random.pick(['iCCP', 'zTXt', 'iTXt', 'tRNS', 'PLTE', 'gAMA', 'acTL', 'fcTL', 'eXIf']);
  const name = Buffer.from(type === 'iTXt' ? 'a\0\u0001\0\0\0' : 'a\0\0');
  if (type === 'PLTE' || type === 'tRNS') return [{ type, data: Buffer.alloc(random.size(10_000)) }];
  return [{ type, data: Buffer.concat([name, largeZeros()]) }];
}

function chunksOf(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    chunks.push({ type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

function pngOf(chunks: readonly Chunk[]): Buffer {
  const parts: Uint8Array[] = [Buffer.from('89504e470d0a1a0a', 'hex')];
  for (const { type, data } of chunks) {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length, 0);
    head.write(type, 4, 'latin1');
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(data, crc32(head.subarray(4))), 0);
    parts.push(head, data, sum);
  }
  return Buffer.concat(parts);
}
