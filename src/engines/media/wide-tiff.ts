import { firstOffsetAt, type Layout, layoutOf, number, offset } from './first-page.js';

// libvips reads samples of up to 32 bits, and sharp at most five channels. Both read these images as one wide channel of
// 32 bits or less, if a directory says so. So libtiff, which limits what it allocates, remains the only decompressor.

const TAG = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripOffsets: 273,
  samples: 277,
  rowsPerStrip: 278,
  stripBytes: 279,
  planes: 284,
  predictor: 317,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileBytes: 325,
  format: 339,
} as const;

/** Bytes of a value by its type: SHORT, LONG and LONG8. Others do not occur in these tags. */
const TYPE_BYTES: Readonly<Record<number, 2 | 4 | 8>> = { 3: 2, 4: 4, 16: 8 };
const LONG = 4;
const LONG8 = 16;

const MAX_VALUES = 1_000_000;
const MOST_CHANNELS = 5;
const UNSIGNED = 1;
const FLOAT = 3;
const RGB = 2;
const SEPARATE_PLANES = 2;
/** Without those that need to know the samples: JPEG, WebP, LERC, … */
const COMPRESSIONS: ReadonlySet<number> = new Set([1, 5, 8, 32773, 32946, 34925, 50000]);

/** A TIFF that libvips cannot read as it is. */
export interface WideTiff {
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  readonly bits: number;
  readonly format: number;
  readonly isRgb: boolean;
  /** TIFF files whose pixels, one channel, are the samples: of all channels, or one file for each channel. */
  readonly planes: readonly Buffer[];
  readonly little: boolean;
}

type Tags = ReadonlyMap<number, readonly number[]>;

/** @returns undefined for other files, and for variants that cannot be read at all */
export function wideTiff(file: Buffer): WideTiff | undefined {
  const layout = layoutOf(file.subarray(0, 16));
  const tags = layout && readTags(file, layout);
  if (layout === undefined || tags === undefined) return undefined;
  const one = (tag: number, usual: number): number => tags.get(tag)?.[0] ?? usual;
  const [width, height, samples] = [one(TAG.width, 0), one(TAG.height, 0), one(TAG.samples, 1)];
  const bits = one(TAG.bits, 1);
  const format = one(TAG.format, UNSIGNED);
  const isWide = bits === 64 || samples > MOST_CHANNELS;
  const isReadable =
    [8, 16, 32, 64].includes(bits) &&
    (tags.get(TAG.bits) ?? []).every((each) => each === bits) &&
    format <= FLOAT &&
    one(TAG.predictor, 1) === 1 &&
    one(TAG.photometric, 1) <= RGB &&
    COMPRESSIONS.has(one(TAG.compression, 1));
  if (!isWide || !isReadable || width < 1 || height < 1) return undefined;
  const isRgb = one(TAG.photometric, 1) === RGB;
  const shown = isRgb ? 3 : 1;
  const planes = one(TAG.planes, 1) === SEPARATE_PLANES ? planesOf(tags, samples).slice(0, shown) : [tags];
  const factor = (planes.length < shown || planes[0] === tags ? samples : 1) * (bits === 64 ? 2 : 1);
  const shape = { factor, bits: Math.min(bits, 32), format: bits === 64 ? UNSIGNED : format };
  return {
    width,
    height,
    samples,
    bits,
    format,
    isRgb,
    little: layout.little,
    planes: planes.map((plane) => asOneChannel(file, layout, plane, shape)),
  };
}

function readTags(file: Buffer, layout: Layout): Tags | undefined {
  const { countBytes, entryBytes, offsetBytes } = layout;
  const at = number(file, firstOffsetAt(layout), offsetBytes, layout);
  if (!(at + countBytes <= file.length)) return undefined;
  const count = number(file, at, countBytes, layout);
  const end = at + countBytes + count * entryBytes;
  if (!(end <= file.length)) return undefined;
  const wanted = new Set<number>(Object.values(TAG));
  const tags = new Map<number, readonly number[]>();
  for (let entry = at + countBytes; entry < end; entry += entryBytes) {
    const tag = number(file, entry, 2, layout);
    const values = wanted.has(tag) ? readValues(file, entry, layout) : undefined;
    if (values !== undefined) tags.set(tag, values);
  }
  return tags;
}

function readValues(file: Buffer, entry: number, layout: Layout): number[] | undefined {
  const { offsetBytes } = layout;
  const bytes = TYPE_BYTES[number(file, entry + 2, 2, layout)];
  const count = number(file, entry + 4, offsetBytes, layout);
  if (bytes === undefined || count > MAX_VALUES) return undefined;
  const inline = entry + 4 + offsetBytes;
  const start = bytes * count <= offsetBytes ? inline : number(file, inline, offsetBytes, layout);
  if (!(start + bytes * count <= file.length)) return undefined;
  return Array.from({ length: count }, (_, at) => number(file, start + at * bytes, bytes, layout));
}

/** The tags of each channel: a TIFF with separate planes lists the parts of the first plane, then those of the next. */
function planesOf(tags: Tags, samples: number): Tags[] {
  const perPlane = (tag: number): number => Math.floor((tags.get(tag)?.length ?? 0) / samples);
  return Array.from({ length: samples }, (_, plane) => {
    const own = new Map(tags);
    for (const tag of [TAG.stripOffsets, TAG.stripBytes, TAG.tileOffsets, TAG.tileBytes]) {
      const values = tags.get(tag);
      const count = perPlane(tag);
      if (values !== undefined) own.set(tag, values.slice(plane * count, (plane + 1) * count));
    }
    return own;
  });
}

/** The file with another directory, at its end. */
function asOneChannel(
  file: Buffer,
  layout: Layout,
  tags: Tags,
  { factor, bits, format }: { readonly factor: number; readonly bits: number; readonly format: number },
): Buffer {
  const changed = new Map(tags);
  for (const tag of [TAG.width, TAG.tileWidth]) {
    const values = tags.get(tag);
    if (values !== undefined) changed.set(tag, [(values[0] ?? 0) * factor]);
  }
  const fixed = [[TAG.bits, bits], [TAG.photometric, 1], [TAG.samples, 1], [TAG.planes, 1], [TAG.format, format]] as const; // prettier-ignore
  for (const [tag, value] of fixed) changed.set(tag, [value]);
  changed.delete(TAG.predictor);
  const padding = Buffer.alloc((8 - (file.length % 8)) % 8);
  const start = file.length + padding.length;
  const copy = Buffer.concat([file, padding, directoryOf(changed, start, layout)]);
  offset(start, layout).copy(copy, firstOffsetAt(layout));
  return copy;
}

function directoryOf(tags: Tags, start: number, layout: Layout): Buffer {
  const { countBytes, entryBytes, offsetBytes } = layout;
  const sorted = [...tags].toSorted(([a], [b]) => a - b);
  const head = Buffer.alloc(countBytes + sorted.length * entryBytes + offsetBytes);
  const lists: Buffer[] = [];
  let listAt = start + head.length;
  write(head, sorted.length, 0, countBytes, layout);
  for (const [index, [tag, values]] of sorted.entries()) {
    const entry = countBytes + index * entryBytes;
    write(head, tag, entry, 2, layout);
    write(head, offsetBytes === 8 ? LONG8 : LONG, entry + 2, 2, layout);
    write(head, values.length, entry + 4, offsetBytes, layout);
    const list = Buffer.concat(values.map((value) => offset(value, layout)));
    if (values.length === 1) list.copy(head, entry + 4 + offsetBytes);
    else {
      write(head, listAt, entry + 4 + offsetBytes, offsetBytes, layout);
      lists.push(list);
      listAt += list.length;
    }
  }
  return Buffer.concat([head, ...lists]);
}

function write(target: Buffer, value: number, at: number, bytes: 2 | 4 | 8, { little }: Layout): void {
  if (bytes === 8) {
    if (little) target.writeBigUInt64LE(BigInt(value), at);
    else target.writeBigUInt64BE(BigInt(value), at);
  } else if (little) target.writeUIntLE(value, at, bytes);
  else target.writeUIntBE(value, at, bytes);
}
