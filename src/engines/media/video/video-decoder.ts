import { MediaError, quoted } from '../media-error.js';
import { ProgramFailure, programLines, runProgram } from '../program.js';
import { brokenVideo, guardedInput, type VideoTools } from './ffmpeg.js';
import { lowerBound, type VideoIndex } from './video-index.js';

/** A video file with its index. */
export interface IndexedVideo {
  /** Absolute path. */
  readonly path: string;
  /** The client's name for the file, for errors. */
  readonly name: string;
  readonly index: VideoIndex;
}

/** Pixels, after rotation. */
export interface VideoFrameSize {
  readonly width: number;
  readonly height: number;
}

/** Format of decoded frames. */
export interface VideoFrameFormat extends VideoFrameSize {
  /** rgb24: three bytes per pixel; yuv420p: 1.5 bytes, with even width and height. */
  readonly pixels: 'rgb24' | 'yuv420p';
}

/** Where to start decoding: at the preceding keyframe, at an earlier one, or at the beginning of the file. */
export type SeekStrategy = 'keyframe' | 'earlier' | 'beginning';

/** Options for decoding. */
export interface DecodeOptions {
  readonly strategy?: SeekStrategy;
  readonly signal?: AbortSignal | undefined;
  /** Niceness relative to the server. */
  readonly niceness?: number | undefined;
}

/** Decoding returned fewer frames than the index lists. */
class FramesMissing extends Error {}

/** Maximum number of non-consecutive frames per process: each is a term of the filter, and ffmpeg accepts a hundred. */
const MAX_SELECTED = 100;
/** Decoding this many frames takes as long as starting a process. */
const WORTH_A_PROCESS = 40;
/** In containers that seek by decoding time, ffmpeg moves back by 3/23 s before it seeks. */
const EARLY_SECONDS = 0.1305;

export const frameBytes = ({ width, height, pixels }: VideoFrameFormat): number =>
  pixels === 'rgb24' ? width * height * 3 : (width * height * 3) / 2;

/**
 * Uses frames of a video. If decoding does not find the frames at their indexed positions, tries again from further
 * back.
 * @param use reads with {@link decodeFrames}; may be called up to three times
 * @throws MediaError for frames that cannot be decoded
 */
export async function withFrames<T>(video: IndexedVideo, use: (strategy: SeekStrategy) => Promise<T>): Promise<T> {
  const strategies = video.index.seekable ? (['keyframe', 'earlier', 'beginning'] as const) : (['beginning'] as const);
  for (const strategy of strategies) {
    try {
      return await use(strategy);
    } catch (error) {
      if (error instanceof ProgramFailure) throw brokenVideo(video.name, error);
      if (!(error instanceof FramesMissing)) throw error;
    }
  }
  throw new MediaError(`ValueError: Some of the frames of ${quoted(video.name)} are damaged and cannot be decoded`);
}

/**
 * Decodes frames of a video, upright and in the requested size.
 * @param frames numbers in the video, ascending
 * @returns the pixels of each frame, in order
 */
export async function* decodeFrames(
  tools: VideoTools,
  video: IndexedVideo,
  frames: readonly number[],
  format: VideoFrameFormat,
  { strategy = 'keyframe', signal, niceness }: DecodeOptions = {},
): AsyncGenerator<Buffer> {
  const { index, name } = video;
  for (const run of runsOf(index, frames)) {
    const args = [
      ...seekTo(index, run[0] ?? 0, strategy),
      ...guardedInput(video.path),
      ...filtering(index, selecting(index, run), index.turn, scaling(format)),
      '-frames:v',
      String(run.length),
      '-pix_fmt',
      format.pixels,
    ];
    const output = runProgram(tools.ffmpeg, command(args, 'rawvideo'), { name, signal, niceness });
    let count = 0;
    for await (const frame of pieces(output, frameBytes(format))) {
      yield frame;
      count += 1;
    }
    if (count !== run.length) throw new FramesMissing();
  }
}

/**
 * Decodes consecutive frames at a tiny size to get their time stamps.
 * @param range number of the first frame in the video, and the count
 * @returns up to `count` time stamps; fewer if decoding fails
 */
export async function decodedTimes(
  tools: VideoTools,
  video: IndexedVideo,
  [from, count]: readonly [from: number, count: number],
  { signal, onFrame }: { readonly signal?: AbortSignal | undefined; readonly onFrame: () => void },
): Promise<number[]> {
  const { index, name } = video;
  const args = [
    ...seekTo(index, from, 'keyframe'),
    ...guardedInput(video.path),
    ...filtering(index, `select='gte(pts,${index.pts[from] ?? 0})'`, 'scale=2:2'),
    '-frames:v',
    String(count),
    '-enc_time_base',
    '-1',
  ];
  const times: number[] = [];
  try {
    for await (const line of programLines(tools.ffmpeg, command(args, 'framecrc'), { name, signal })) {
      const time = /^0,\s*-?\d+,\s*(-?\d+),/.exec(line)?.[1];
      if (time === undefined) continue;
      times.push(Number(time));
      onFrame();
    }
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
  }
  return times;
}

/** @param args input, filters and number of frames */
function command(args: readonly string[], output: 'rawvideo' | 'framecrc'): string[] {
  const common = ['-v', 'error', '-nostdin', '-threads', '2', '-noautorotate', '-copyts'];
  return [...common, ...args, '-an', '-sn', '-dn', '-vsync', 'passthrough', '-f', output, 'pipe:1'];
}

/** Filters for the one stream; empty filters are omitted. */
const filtering = ({ stream }: VideoIndex, ...filters: readonly string[]): string[] => [
  '-map',
  `0:${stream}`,
  '-vf',
  filters.filter(Boolean).join(','),
];

/** Divides the frames into runs, each decoded by one process. */
function runsOf({ pts, keys, seekable }: VideoIndex, frames: readonly number[]): number[][] {
  const runs: number[][] = [];
  let before = 0;
  for (const frame of frames) {
    const run = runs.at(-1);
    const jump = seekable && frame - before > WORTH_A_PROCESS && keyOf(keys, pts, frame) > keyOf(keys, pts, before);
    const full = run !== undefined && run.length >= MAX_SELECTED && frame - (run[0] ?? 0) !== run.length;
    if (run === undefined || full || jump) runs.push([frame]);
    else run.push(frame);
    before = frame;
  }
  return runs;
}

/** Position of the last keyframe at or before a frame; −1 if there is none. */
const keyOf = (keys: Float64Array, pts: Float64Array, frame: number): number =>
  lowerBound(keys, (pts[frame] ?? 0) + 0.5) - 1;

/** The filter for a size. Keeps the matrix of the video, and converts YCbCr values to limited (TV) range. */
export const scaling = ({ width, height, pixels }: VideoFrameFormat): string =>
  `scale=${width}:${height}${pixels === 'yuv420p' ? ':out_range=tv' : ''}`;

function seekTo(index: VideoIndex, frame: number, strategy: SeekStrategy): string[] {
  const { keys, pts, seeksEarly, seekable } = index;
  const key = keyOf(keys, pts, frame) - (strategy === 'earlier' ? 2 : 0);
  // Decoding from the first keyframe requires no seeking.
  if (!seekable || strategy === 'beginning' || key <= 0) return [];
  const time = seconds(index, keys[key] ?? 0) + (seeksEarly && strategy === 'keyframe' ? EARLY_SECONDS : 0);
  const micros = Math.ceil(time * 1e6);
  return ['-noaccurate_seek', '-seek_timestamp', '1', '-ss', (micros / 1e6).toFixed(6)];
}

const seconds = ({ timeBase: [numerator, denominator] }: VideoIndex, time: number): number =>
  (time * numerator) / denominator;

function selecting({ pts, seekable }: VideoIndex, run: readonly number[]): string {
  // A run longer than this is consecutive.
  if (run.length > MAX_SELECTED) {
    const [first = 0, last = 0] = [run.at(0), run.at(-1)];
    return seekable
      ? `select='between(pts,${pts[first] ?? 0},${pts[last] ?? 0})'`
      : `select='between(n,${first},${last})'`;
  }
  const terms = run.map((frame) => (seekable ? `eq(pts,${pts[frame] ?? 0})` : `eq(n,${frame})`));
  return `select='${terms.join('+')}'`;
}

/** Yields pieces of exactly `size` bytes; drops a shorter one at the end. */
async function* pieces(stream: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let piece = Buffer.allocUnsafe(size);
  let filled = 0;
  for await (const bytes of stream) {
    let taken = 0;
    while (taken < bytes.length) {
      const copied = bytes.copy(piece, filled, taken);
      taken += copied;
      filled += copied;
      if (filled < size) continue;
      yield piece;
      piece = Buffer.allocUnsafe(size);
      filled = 0;
    }
  }
}
