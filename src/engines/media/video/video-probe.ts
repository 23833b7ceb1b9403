import { MediaError, quoted } from '../media-error.js';
import { ProgramFailure, programText } from '../program.js';
import { coloursOf, type ProbedColours, type VideoColours } from './colours.js';
import { brokenVideo, guardedInput, type VideoTools } from './ffmpeg.js';

export interface VideoLimits {
  /** Maximum width × height of a frame. */
  readonly maxPixels: number;
  /** Maximum number of frames. */
  readonly maxFrames: number;
}

/** 8K, and 46 hours at 30 frames per second. */
export const defaultVideoLimits: VideoLimits = { maxPixels: 40_000_000, maxFrames: 5_000_000 };

/** Properties from the header of a video. */
export interface VideoStream {
  /** Index of the stream in its file. */
  readonly stream: number;
  readonly codec: string;
  /** Pixels, after rotation. */
  readonly width: number;
  readonly height: number;
  /** The ffmpeg filter that rotates a frame upright; empty if none is needed. */
  readonly turn: string;
  /** The time base in seconds, as numerator and denominator. */
  readonly timeBase: readonly [number, number];
  /** How the packet positions listed by ffmpeg are to be interpreted. */
  readonly container: 'mp4' | 'matroska' | 'other';
  /** Decoder configuration. */
  readonly extradata: Buffer;
  readonly colours: VideoColours;
  /** Whether the container seeks by decoding time, so that ffmpeg moves back a little before it seeks. */
  readonly seeksEarly: boolean;
  /** As declared by the container, in units of the time base; 0 if undeclared. */
  readonly duration: number;
}

/**
 * Decoders of common video formats; ffmpeg's other decoders are not useful here and would enlarge the attack surface.
 */
const CODECS = new Set(
  'h264 hevc vp8 vp9 av1 mpeg4 msmpeg4v1 msmpeg4v2 msmpeg4v3 mpeg1video mpeg2video h263 flv1 mjpeg wmv1 wmv2 wmv3 vc1 theora prores dnxhd ffv1 rawvideo huffyuv png'.split(
    ' ',
  ),
);

const ENTRIES =
  'stream=index,codec_type,codec_name,width,height,time_base,has_b_frames,duration_ts,extradata,color_range,color_space,color_transfer,color_primaries:stream_disposition=attached_pic:' +
  'stream_side_data=side_data_type,displaymatrix:format=format_name,duration';

interface ProbedStream extends ProbedColours {
  readonly index: number;
  readonly codec_type?: string;
  readonly codec_name?: string;
  readonly width?: number;
  readonly height?: number;
  readonly time_base?: string;
  readonly has_b_frames?: number;
  readonly duration_ts?: number;
  readonly extradata?: string;
  readonly disposition?: { readonly attached_pic?: number };
  readonly side_data_list?: readonly { readonly side_data_type?: string; readonly displaymatrix?: string }[];
}

interface Probed {
  readonly streams?: readonly ProbedStream[];
  readonly format?: { readonly format_name?: string; readonly duration?: string };
}

/**
 * Reads the header of a video.
 * @param path absolute
 * @param name the client's name for the file, for errors
 * @throws MediaError if it is not a video, has no video stream, or is too large
 */
export async function probeVideo(
  tools: VideoTools,
  path: string,
  name: string,
  options: { readonly limits?: VideoLimits; readonly signal?: AbortSignal | undefined } = {},
): Promise<VideoStream> {
  const { limits = defaultVideoLimits, signal } = options;
  const probed = await probe(tools, path, name, signal);
  // Cover images are streams, too.
  const found = probed.streams?.find(
    ({ codec_type: type, disposition }) => type === 'video' && disposition?.attached_pic !== 1,
  );
  if (found === undefined) throw new MediaError(`ValueError: There is no video stream in ${quoted(name)}`);
  const { width = 0, height = 0, codec_name: codec = 'unknown' } = found;
  if (!CODECS.has(codec))
    throw new MediaError(`ValueError: The codec ${quoted(codec)} of ${quoted(name)} is not supported`);
  if (width < 1 || height < 1) throw brokenVideo(name);
  if (width * height > limits.maxPixels) {
    throw new MediaError(`ValueError: The frames of ${quoted(name)} have more than ${limits.maxPixels} pixels`);
  }
  const turn = turnOf(found);
  const timeBase = readTimeBase(found.time_base ?? '');
  if (timeBase === null) throw brokenVideo(name);
  const format = probed.format?.format_name ?? '';
  const [numerator, denominator] = timeBase;
  return {
    stream: found.index,
    codec,
    ...(turn.startsWith('transpose') ? { width: height, height: width } : { width, height }),
    turn,
    timeBase,
    container: containerOf(format),
    extradata: bytesOfDump(found.extradata ?? ''),
    colours: coloursOf(found),
    seeksEarly: !format.startsWith('mov') && (found.has_b_frames ?? 0) > 0,
    duration: found.duration_ts ?? ((Number(probed.format?.duration) || 0) * denominator) / numerator,
  };
}

async function probe(tools: VideoTools, path: string, name: string, signal?: AbortSignal): Promise<Probed> {
  const args = ['-v', 'error', '-show_data', '-show_entries', ENTRIES, '-of', 'json', ...guardedInput(path)];
  try {
    return JSON.parse(await programText(tools.ffprobe, args, { name, signal })) as Probed;
  } catch (error) {
    if (error instanceof ProgramFailure || error instanceof SyntaxError) throw brokenVideo(name, error);
    throw error;
  }
}

function containerOf(format: string): VideoStream['container'] {
  if (format.startsWith('mov')) return 'mp4';
  return format.startsWith('matroska') ? 'matroska' : 'other';
}

/** @param dump lines with an offset, up to eight groups of digits, two blanks and the same as text */
function bytesOfDump(dump: string): Buffer {
  const digits = dump.split('\n').map((line) => /^[0-9a-f]+: ((?:[0-9a-f]{2,4} )+)/.exec(line)?.[1] ?? '');
  return Buffer.from(digits.join('').replaceAll(' ', ''), 'hex');
}

function readTimeBase(text: string): readonly [number, number] | null {
  const [, numerator = 0, denominator = 0] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  return numerator > 0 && denominator > 0 ? [numerator, denominator] : null;
}

/**
 * The filter for a display matrix (ISO/IEC 14496-12, 8.2.2: a point goes to (a·x + c·y, b·x + d·y)). Supports only
 * rotations by multiples of 90° and mirroring.
 */
function turnOf({ side_data_list: sides = [] }: ProbedStream): string {
  const matrix = sides.find(({ side_data_type: type }) => type === 'Display Matrix')?.displaymatrix;
  if (matrix === undefined) return '';
  const [a = 0, b = 0, , c = 0, d = 0] = matrix
    .split('\n')
    .flatMap((line) => line.replace(/^\d+:/, '').trim().split(/\s+/))
    .filter((text) => /^-?\d+$/.test(text))
    .map(Number);
  if (Math.abs(b) > Math.abs(a)) {
    if (b > 0) return c > 0 ? 'transpose=cclock_flip' : 'transpose=clock';
    return c > 0 ? 'transpose=cclock' : 'transpose=clock_flip';
  }
  return [...(a < 0 ? ['hflip'] : []), ...(d < 0 ? ['vflip'] : [])].join(',');
}
