import { MATRIX_COEFFICIENTS, type VideoColours } from './colours.js';

/** Properties of a video track. */
export interface MatroskaTrack {
  /** Name in ffmpeg. */
  readonly codec: string;
  /** Decoder configuration; the same in MP4 and Matroska. */
  readonly extradata: Buffer;
  readonly width: number;
  readonly height: number;
  readonly colours: VideoColours;
}

export interface MatroskaCluster {
  /** Milliseconds. */
  readonly time: number;
  /** In decoding order, starting with a keyframe. */
  readonly blocks: readonly MatroskaBlock[];
}

export interface MatroskaBlock {
  /** Milliseconds relative to the cluster's time, -32,768 to 32,767. */
  readonly time: number;
  readonly data: Buffer;
}

/** Codecs whose packets MP4 and Matroska store in the same form, with their names in Matroska. */
const CODEC_IDS: Readonly<Record<string, string>> = {
  h264: 'V_MPEG4/ISO/AVC',
  hevc: 'V_MPEGH/ISO/HEVC',
  vp8: 'V_VP8',
  vp9: 'V_VP9',
  av1: 'V_AV1',
};

/** Whether {@link matroskaOf} can contain packets of a codec. */
export const hasMatroskaName = (codec: string): boolean => Object.hasOwn(CODEC_IDS, codec);

const VIDEO = 1;
const TRACK = 1;
const KEYFRAME = 0x80;
const NANOSECONDS_PER_MS = 1_000_000;

/** Creates a Matroska stream (RFC 9559) with one track and one cluster. */
export function matroskaOf(track: MatroskaTrack, { time, blocks }: MatroskaCluster): Buffer {
  const { codec, extradata, width, height, colours } = track;
  const header = element(
    0x1a45dfa3,
    element(0x4286, number(1)), // EBMLVersion
    element(0x42f7, number(1)), // EBMLReadVersion
    element(0x42f2, number(4)), // EBMLMaxIDLength
    element(0x42f3, number(8)), // EBMLMaxSizeLength
    element(0x4282, Buffer.from('matroska')), // DocType
    element(0x4287, number(4)), // DocTypeVersion
    element(0x4285, number(2)), // DocTypeReadVersion
  );
  const info = element(0x1549a966, element(0x2ad7b1, number(NANOSECONDS_PER_MS))); // Info, TimestampScale
  const entry = element(
    0xae, // TrackEntry
    element(0xd7, number(TRACK)), // TrackNumber
    element(0x73c5, number(TRACK)), // TrackUID
    element(0x83, number(VIDEO)), // TrackType
    element(0x86, Buffer.from(CODEC_IDS[codec] ?? '')), // CodecID
    ...(extradata.length > 0 ? [element(0x63a2, extradata)] : []), // CodecPrivate
    element(0xe0, element(0xb0, number(width)), element(0xba, number(height)), colour(colours)), // Video, PixelWidth, PixelHeight
  );
  const tracks = element(0x1654ae6b, entry);
  const cluster = element(0x1f43b675, element(0xe7, number(time)), ...blocks.map(simpleBlock)); // Cluster, Timestamp
  return Buffer.concat([header, element(0x18538067, info, tracks, cluster)]); // Segment
}

/** The conversion from YCbCr to RGB, which the codec's data need not declare. */
function colour({ matrix, full }: VideoColours): Buffer {
  return element(
    0x55b0, // Colour
    ...(matrix === undefined ? [] : [element(0x55b1, number(MATRIX_COEFFICIENTS[matrix] ?? 2))]), // MatrixCoefficients
    ...(full === undefined ? [] : [element(0x55b9, number(full ? 2 : 1))]), // Range
  );
}

function simpleBlock({ time, data }: MatroskaBlock, at: number): Buffer {
  const head = Buffer.from([0x80 | TRACK, 0, 0, at === 0 ? KEYFRAME : 0]);
  head.writeInt16BE(time, 1);
  return element(0xa3, head, data);
}

/** All sizes are written in eight bytes. */
function element(id: number, ...content: readonly Buffer[]): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE((1n << 56n) | BigInt(content.reduce((sum, { length }) => sum + length, 0)));
  return Buffer.concat([number(id), size, ...content]);
}

/** Encodes a number in as few bytes as possible. */
function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  const first = bytes.findIndex((byte) => byte !== 0);
  return bytes.subarray(first < 0 ? 3 : first);
}
