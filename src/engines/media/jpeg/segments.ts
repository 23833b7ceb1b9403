/** Bytes of a file from a position on: fewer than asked for where it ends. */
export type ReadPart = (position: number, length: number) => Buffer;

export const partsOf =
  (file: Buffer): ReadPart =>
  (position, length) =>
    file.subarray(position, position + length);

/** A marker of a JPEG with what it says. */
export interface Segment {
  readonly marker: number;
  /** As far as it is looked at: pictures and colour profiles are longer. */
  readonly body: Buffer;
  /** Where what follows begins. */
  readonly end: number;
}

const WINDOW_BYTES = 4096;
/** Before the first scan. Cameras write about ten; long profiles take one for every 64 KB. */
const MOST_SEGMENTS = 1000;

const START_OF_IMAGE = 0xffd8;
export const START_OF_SCAN = 0xda;

/** The segments of a JPEG (ITU-T T.81, annex B), up to that of its first scan; they end early where the file is none. */
export function* segmentsOf(read: ReadPart): Generator<Segment, void> {
  const bytes = windowed(read);
  if (bytes(0, 2).length < 2 || bytes(0, 2).readUInt16BE() !== START_OF_IMAGE) return;
  for (let [at, segments] = [2, 0]; segments < MOST_SEGMENTS; segments += 1) {
    const head = bytes(at, 4);
    if (head.length < 4 || head[0] !== 0xff) return;
    const [marker, length] = [head.readUInt8(1), head.readUInt16BE(2)];
    if (length < 2) return;
    const end = at + 2 + length;
    yield { marker, body: bytes(at + 4, Math.min(length - 2, WINDOW_BYTES)), end };
    if (marker === START_OF_SCAN) return;
    at = end;
  }
}

/** Reads on only where nothing was read yet. */
function windowed(read: ReadPart): ReadPart {
  let [start, window] = [0, read(0, WINDOW_BYTES)];
  return (position, length) => {
    const isIn = position >= start && position + length <= start + window.length;
    if (!isIn) [start, window] = [position, read(position, WINDOW_BYTES)];
    return window.subarray(position - start, position - start + length);
  };
}
