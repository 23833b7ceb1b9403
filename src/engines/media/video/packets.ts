import { open } from 'node:fs/promises';
import { matroskaOf, type MatroskaTrack } from './matroska.js';
import { lowerBound, type VideoIndex } from './video-index.js';

/** Positions of a video's packets in its file, in decoding order. */
export interface PacketTable {
  /** Time stamps in units of the time base, all distinct. */
  readonly pts: Float64Array;
  /** Offset of the first byte in the file, or of the header that precedes it in Matroska. */
  readonly positions: Float64Array;
  /** In bytes. */
  readonly sizes: Float64Array;
}

/** Milliseconds: the time of the requested frame in every stream returned by {@link feedOf}. */
export const TIME_OF_FRAME = 40_000;

/** Maximum number of bytes read from a file for one frame. */
const MAX_BYTES = 64 * 2 ** 20;
/** Times in a Matroska cluster are signed 16-bit numbers. */
const MAX_PACKETS = 2 ** 15;
/** In Matroska, the track number (one byte), a time (two bytes) and flags precede a packet. */
const BLOCK_HEADER = 4;
/** Identifier and size of the enclosing element. */
const ELEMENT_HEADER = 9;
const BLOCK_IDS = new Set([0xa1, 0xa3]);
const LACING = 0b0110;

/** The packets from the preceding keyframe up to a frame; can be sent to another process. */
export interface FramePackets {
  /** Absolute path. */
  readonly path: string;
  readonly video: MatroskaTrack & Pick<VideoIndex, 'container'>;
  /** The last packet is the frame's. */
  readonly table: PacketTable;
}

/**
 * @param path absolute
 * @returns undefined if packets cannot be read from the file individually
 */
export function packetsFor(path: string, index: VideoIndex, frame: number): FramePackets | undefined {
  const { packets, seekable, container, codec, extradata, width, height, colours } = index;
  const range = packets === null || !seekable ? undefined : rangeFor(index, packets, frame);
  if (packets === null || range === undefined) return undefined;
  const { pts, positions, sizes } = packets;
  return {
    path,
    video: { container, codec, extradata, width, height, colours },
    table: { pts: pts.subarray(...range), positions: positions.subarray(...range), sizes: sizes.subarray(...range) },
  };
}

/**
 * Creates a Matroska stream of the packets, without those that no other packet refers to. Each has a time of its own;
 * those before the requested frame have earlier ones.
 * @returns undefined if the packets do not match the index
 */
export async function feedOf({ path, video, table }: FramePackets): Promise<Buffer | undefined> {
  const taken = await take(path, video.container, table);
  if (taken === undefined) return undefined;
  const { pts } = table;
  const last = pts.length - 1;
  const isNeeded = referenceTest(video);
  const needed = taken.filter(({ at, data }) => at === last || isNeeded(data));
  const times = Float64Array.from(needed, ({ at }) => pts[at] ?? 0).sort();
  const position = (at: number): number => lowerBound(times, pts[at] ?? 0);
  const blocks = needed.map(({ at, data }) => ({ time: position(at) - position(last), data }));
  return matroskaOf(video, { time: TIME_OF_FRAME, blocks });
}

/** Positions in the table: of the preceding keyframe, and after the frame. */
function rangeFor(
  { pts, keys }: VideoIndex,
  { pts: ofPackets }: PacketTable,
  frame: number,
): readonly [first: number, end: number] | undefined {
  const wanted = pts[frame];
  if (wanted === undefined) return undefined;
  const key = keys[lowerBound(keys, wanted + 0.5) - 1];
  if (key === undefined) return undefined;
  const last = ofPackets.indexOf(wanted);
  const first = ofPackets.lastIndexOf(key, last);
  return last < 0 || first < 0 || last - first >= MAX_PACKETS ? undefined : [first, last + 1];
}

interface Packet {
  /** Position in the table. */
  readonly at: number;
  readonly data: Buffer;
}

/** Reads packets that are close to each other. */
async function take(
  path: string,
  container: VideoIndex['container'],
  { positions, sizes }: PacketTable,
): Promise<Packet[] | undefined> {
  const before = container === 'matroska' ? ELEMENT_HEADER : 0;
  const from = Math.max(0, positions.reduce((least, position) => Math.min(least, position)) - before);
  const to = positions.reduce((most, position, at) => Math.max(most, position + (sizes[at] ?? 0)), 0) + BLOCK_HEADER;
  if (!(to - from <= MAX_BYTES)) return undefined;
  // the other decoding method reports the error
  const bytes = await readPart(path, from, to).catch(() => Buffer.alloc(0));
  const packets: Packet[] = [];
  for (let at = 0; at < positions.length; at += 1) {
    const position = (positions[at] ?? 0) - from;
    const size = sizes[at] ?? 0;
    const start = container === 'matroska' ? blockStart(bytes, position, size) : position;
    if (start === undefined || size < 1 || start + size > bytes.length) return undefined;
    packets.push({ at, data: bytes.subarray(start, start + size) });
  }
  return packets;
}

async function readPart(path: string, from: number, to: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(to - from), 0, to - from, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * The offset of a packet in a Matroska block (RFC 9559, 10).
 * @param position start of the block's content
 * @returns undefined for anything but a block with one unmodified packet
 */
function blockStart(bytes: Buffer, position: number, size: number): number | undefined {
  const flags = bytes[position + BLOCK_HEADER - 1] ?? LACING;
  if ((flags & LACING) !== 0) return undefined;
  for (let length = 1; length < ELEMENT_HEADER && position > length; length += 1) {
    const written = bytes.subarray(position - length, position);
    const marker = 1 << (8 - length);
    if (((written[0] ?? 0) & -marker) !== marker || !BLOCK_IDS.has(bytes[position - length - 1] ?? 0)) continue;
    const value = written.reduce((sum, byte, at) => sum * 256 + (at === 0 ? byte - marker : byte), 0);
    if (value === size + BLOCK_HEADER) return position + BLOCK_HEADER;
  }
  return undefined;
}

/** Types of NAL units with slices, and those that may accompany them (ITU-T H.264, table 7-1). */
const H264_SLICES = new Set([1, 5]);
const H264_OTHERS = new Set([6, 7, 8, 9, 10, 11, 12]);

/**
 * Tests whether other frames may refer to a packet. Only H.264 is inspected: `nal_ref_idc` of every slice declares it
 * (ITU-T H.264, 7.4.1), and frames with 0 can be omitted without affecting others.
 */
function referenceTest({ codec, extradata }: MatroskaTrack): (packet: Buffer) => boolean {
  const isAvcC = codec === 'h264' && extradata[0] === 1 && extradata.length > 6;
  if (!isAvcC) return () => true;
  const lengthBytes = ((extradata[4] ?? 0) & 3) + 1;
  return (packet) => {
    let slices = 0;
    let at = 0;
    while (at + lengthBytes < packet.length) {
      const length = packet.readUIntBE(at, lengthBytes);
      const header = packet[at + lengthBytes] ?? 0;
      const type = header & 31;
      if (H264_SLICES.has(type)) slices += 1;
      else if (!H264_OTHERS.has(type)) return true;
      if (H264_SLICES.has(type) && header >> 5 !== 0) return true;
      at += lengthBytes + length;
    }
    return slices === 0 || at !== packet.length;
  };
}
