import { open } from 'node:fs/promises';
import { matroskaOf, type MatroskaTrack } from './matroska.js';
import { lowerBound, type VideoIndex } from './video-index.js';

/** Where the packets of a video lie in its file, in the order of decoding. */
export interface PacketTable {
  /** Time stamps, in units of the time base; no two are the same. */
  readonly pts: Float64Array;
  /** Of the first byte in the file, or of the header that Matroska puts before it. */
  readonly positions: Float64Array;
  /** Bytes. */
  readonly sizes: Float64Array;
}

/** Milliseconds: the time at which the wanted frame stands in what {@link feedOf} gives, whichever it is. */
export const TIME_OF_FRAME = 40_000;

/** What is read of a file for one frame. */
const MOST_BYTES = 64 * 2 ** 20;
/** Times in a cluster of Matroska are 16 bits with a sign. */
const MOST_PACKETS = 2 ** 15;
/** Before the bytes of a packet Matroska has the number of the track (one byte), a time (two) and flags. */
const BLOCK_HEADER = 4;
/** Identifier and size of the element around that. */
const ELEMENT_HEADER = 9;
const BLOCK_IDS = new Set([0xa1, 0xa3]);
const LACING = 0b0110;

/** Where the packets lie from the keyframe before a frame up to the frame; it can be sent to another process. */
export interface FramePackets {
  /** Absolute. */
  readonly path: string;
  readonly video: MatroskaTrack & Pick<VideoIndex, 'container'>;
  /** The last one is the frame's. */
  readonly table: PacketTable;
}

/** @param path absolute. @returns undefined where packets cannot be taken out of the file one by one */
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
 * Packets, without those that no other one refers to, as a stream of Matroska. Each has a time of its own, those before the
 * wanted frame earlier ones.
 * @returns undefined where they are not what the index says
 */
export async function feedOf({ path, video, table }: FramePackets): Promise<Buffer | undefined> {
  const taken = await take(path, video.container, table);
  if (taken === undefined) return undefined;
  const { pts } = table;
  const last = pts.length - 1;
  const isNeeded = referenceTest(video);
  const needed = taken.filter(({ at, data }) => at === last || isNeeded(data));
  const times = Float64Array.from(needed, ({ at }) => pts[at] ?? 0).sort();
  const place = (at: number): number => lowerBound(times, pts[at] ?? 0);
  const blocks = needed.map(({ at, data }) => ({ time: place(at) - place(last), data }));
  return matroskaOf(video, { time: TIME_OF_FRAME, blocks });
}

/** Places in the table: of the keyframe before a frame, and after the frame. */
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
  return last < 0 || first < 0 || last - first >= MOST_PACKETS ? undefined : [first, last + 1];
}

interface Packet {
  /** Place in the table. */
  readonly at: number;
  readonly data: Buffer;
}

/** Reads packets that lie near each other. */
async function take(
  path: string,
  container: VideoIndex['container'],
  { positions, sizes }: PacketTable,
): Promise<Packet[] | undefined> {
  const before = container === 'matroska' ? ELEMENT_HEADER : 0;
  const from = Math.max(0, positions.reduce((least, position) => Math.min(least, position)) - before);
  const to = positions.reduce((most, position, at) => Math.max(most, position + (sizes[at] ?? 0)), 0) + BLOCK_HEADER;
  if (!(to - from <= MOST_BYTES)) return undefined;
  const bytes = await readPart(path, from, to).catch(() => Buffer.alloc(0)); // what is wrong is told by the other way
  const packets: Packet[] = [];
  for (let at = 0; at < positions.length; at += 1) {
    const place = (positions[at] ?? 0) - from;
    const size = sizes[at] ?? 0;
    const start = container === 'matroska' ? blockStart(bytes, place, size) : place;
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
 * Where the bytes of a packet begin in a block of Matroska (RFC 9559, 10).
 * @param place of the block's content
 * @returns undefined for what is no block of one packet as it is
 */
function blockStart(bytes: Buffer, place: number, size: number): number | undefined {
  const flags = bytes[place + BLOCK_HEADER - 1] ?? LACING;
  if ((flags & LACING) !== 0) return undefined;
  for (let length = 1; length < ELEMENT_HEADER && place > length; length += 1) {
    const written = bytes.subarray(place - length, place);
    const marker = 1 << (8 - length);
    if (((written[0] ?? 0) & -marker) !== marker || !BLOCK_IDS.has(bytes[place - length - 1] ?? 0)) continue;
    const value = written.reduce((sum, byte, at) => sum * 256 + (at === 0 ? byte - marker : byte), 0);
    if (value === size + BLOCK_HEADER) return place + BLOCK_HEADER;
  }
  return undefined;
}

/** Types of NAL units with slices, and those that may stand beside them (ITU-T H.264, table 7-1). */
const H264_SLICES = new Set([1, 5]);
const H264_OTHERS = new Set([6, 7, 8, 9, 10, 11, 12]);

/**
 * Whether other frames may refer to a packet. Only H.264 is looked into: there `nal_ref_idc` of every slice says it
 * (ITU-T H.264, 7.4.1), and pictures that say 0 can be left out without a change of any other.
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
