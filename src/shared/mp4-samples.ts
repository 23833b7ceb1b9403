/**
 * The first track of an MP4 (ISO/IEC 14496-12) written by ffmpeg. The lists have one entry per sample, in the order of
 * decoding.
 */
export interface Mp4Samples {
  /** Time stamps in units of the file, starting at 0. */
  readonly pts: Float64Array;
  /** Units of time stamps in a second. */
  readonly timescale: number;
  /** Positions in the file, in bytes. */
  readonly positions: Float64Array;
  readonly sizes: Float64Array;
  /** Time stamps of the keyframes, ascending. */
  readonly keys: Float64Array;
  /** Content of the `avcC` box. */
  readonly extradata: Uint8Array;
}

/** Length of a video sample entry before its boxes. */
const VISUAL_SAMPLE_ENTRY = 78;

/** @throws Error, RangeError for anything but an MP4 with one track of H.264 */
export function readMp4Samples(file: Uint8Array): Mp4Samples {
  const media = ['moov', 'trak', 'mdia'].reduce(required, file);
  const table = ['minf', 'stbl'].reduce(required, media);
  const sizes = required(table, 'stsz');
  const entry = required(table, 'stsd').subarray(16 + VISUAL_SAMPLE_ENTRY);
  const extradata = required(entry, 'avcC');
  const count = uint32(sizes, 8);
  const size = uint32(sizes, 4);
  const bytes = Float64Array.from({ length: count }, (_, at) => (size === 0 ? uint32(sizes, 12 + 4 * at) : size));
  const shown = timesOf(table, count);
  const first = shown.reduce((least, time) => Math.min(least, time), Infinity);
  const pts = shown.map((time) => time - first);
  const sync = child(table, 'stss');
  const keys = sync === undefined ? pts.slice() : Float64Array.from(list(sync, 1), ([at = 1]) => pts[at - 1] ?? 0);
  return {
    pts,
    timescale: timescaleOf(required(media, 'mdhd')),
    positions: positionsOf(table, bytes),
    sizes: bytes,
    keys: keys.sort(),
    extradata,
  };
}

const uint32 = ({ buffer, byteOffset, byteLength }: Uint8Array, at: number): number =>
  new DataView(buffer, byteOffset, byteLength).getUint32(at);

/** Returns the content of the first box of a type. */
function child(boxes: Uint8Array, type: string): Uint8Array | undefined {
  for (let at = 0; at + 8 <= boxes.length;) {
    const size = uint32(boxes, at);
    if (String.fromCharCode(...boxes.subarray(at + 4, at + 8)) === type) return boxes.subarray(at + 8, at + size);
    if (size < 8) return undefined;
    at += size;
  }
  return undefined;
}

function required(boxes: Uint8Array, type: string): Uint8Array {
  const found = child(boxes, type);
  if (found === undefined) throw new Error(`The MP4 has no ${type}`);
  return found;
}

/** The header has times of 4 or 8 bytes before the scale. */
const timescaleOf = (header: Uint8Array): number => uint32(header, header[0] === 0 ? 12 : 20);

/** Reads the entries of a table: after version, flags and count, `width` numbers per entry. */
function list(box: Uint8Array | undefined, width: number): number[][] {
  if (box === undefined) return [];
  return Array.from({ length: uint32(box, 4) }, (_, at) =>
    Array.from({ length: width }, (__, column) => uint32(box, 8 + 4 * (at * width + column))),
  );
}

/** Decoding times, and the offset of each to its display time. */
function timesOf(table: Uint8Array, count: number): Float64Array {
  const times = new Float64Array(count);
  let [at, time] = [0, 0];
  for (const [samples = 0, duration = 0] of list(child(table, 'stts'), 2))
    for (let sample = 0; sample < samples; sample += 1, time += duration) times[at++] = time;
  at = 0;
  for (const [samples = 0, offset = 0] of list(child(table, 'ctts'), 2))
    for (let sample = 0; sample < samples; sample += 1, at += 1) times[at] = (times[at] ?? 0) + (offset | 0);
  return times;
}

/** Samples are stored in chunks; `stsc` lists from which chunk on each contains how many. */
function positionsOf(table: Uint8Array, sizes: Float64Array): Float64Array {
  const positions = new Float64Array(sizes.length);
  const runs = list(child(table, 'stsc'), 3);
  let at = 0;
  for (const [chunk, [start = 0]] of list(child(table, 'stco'), 1).entries()) {
    const samples = runs.findLast(([first = 1]) => first <= chunk + 1)?.[1] ?? 0;
    let position = start;
    for (let sample = 0; sample < samples && at < sizes.length; sample += 1, at += 1) {
      positions[at] = position;
      position += sizes[at] ?? 0;
    }
  }
  return positions;
}
