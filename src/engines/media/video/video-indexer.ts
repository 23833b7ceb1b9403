import { stat } from 'node:fs/promises';
import { MediaError, quoted } from '../media-error.js';
import { ProgramFailure, programLines } from '../program.js';
import { brokenVideo, guardedInput, type VideoTools } from './ffmpeg.js';
import { hasMatroskaName } from './matroska.js';
import type { PacketTable } from './packets.js';
import { decodedTimes } from './video-decoder.js';
import { lowerBound, type VideoIndex } from './video-index.js';
import { defaultVideoLimits, probeVideo, type VideoLimits, type VideoStream } from './video-probe.js';

export interface IndexOptions {
  /** The client's name for the file, for errors. */
  readonly name: string;
  readonly limits?: VideoLimits;
  readonly signal?: AbortSignal | undefined;
  /** 0 to 1, never decreasing. */
  readonly onProgress?: (done: number) => void;
}

/** Reports the progress of one step: 0 to 1. */
type Progress = (part: number) => void;

/** Number of positions at which frames are decoded for comparison, and the maximum number of frames. */
const SAMPLES = 5;
const SAMPLE_FRAMES = 100;
const LAST_FRAMES = 3000;
/** Listing the packets of this many bytes takes as long as decoding the samples. */
const BYTES_LIKE_SAMPLES = 4 * 2 ** 30;
/** The share of the samples in the progress if the whole video had to be decoded before. */
const LITTLE = 0.05;

/**
 * Creates the index of a video. Lists the packets, which reads the file without decoding, then decodes some groups of
 * pictures. If these contain other frames than the packets promised (fields, packed or missing frames, guessed time
 * stamps), decodes the whole video once and lists its frames.
 * @param path absolute
 * @throws MediaError that names the file
 */
export async function indexVideo(tools: VideoTools, path: string, options: IndexOptions): Promise<VideoIndex> {
  const stream = await probeVideo(tools, path, options.name, options);
  const { size } = await stat(path);
  const until = stepsOf(options.onProgress);
  const listing = size / (size + BYTES_LIKE_SAMPLES);
  const packets = await listPackets(tools, path, { stream, size, onStep: until(listing) }, options);
  if (packets.pts !== null) {
    const index = { ...stream, pts: packets.pts, keys: packets.keys, seekable: true, packets: packets.table };
    if (await samplesHold(tools, path, { index, onStep: until(1) }, options)) return index;
  }
  const pts = await listFrames(tools, path, { stream, onStep: until(1 - LITTLE) }, options);
  const distinct = pts.every((value, at) => at === 0 || value > (pts[at - 1] ?? 0));
  const index = { ...stream, pts, keys: packets.keys, seekable: distinct, packets: null };
  if (distinct && (await samplesHold(tools, path, { index, onStep: until(1) }, options))) return index;
  return { ...index, keys: new Float64Array(), seekable: false };
}

/** Divides progress into consecutive steps. @returns a function that starts a step ending at `end` */
function stepsOf(onProgress: Progress = () => undefined): (end: number) => Progress {
  let reached = 0;
  return (end) => {
    const begin = reached;
    return (part) => {
      if (Number.isNaN(part)) return; // neither position nor time is known
      reached = Math.max(reached, begin + (end - begin) * Math.min(1, part));
      onProgress(reached);
    };
  };
}

interface Packets {
  /** Null unless every packet has a distinct time stamp. */
  readonly pts: Float64Array | null;
  readonly keys: Float64Array;
  readonly table: PacketTable | null;
}

async function listPackets(
  tools: VideoTools,
  path: string,
  { stream, size, onStep }: { readonly stream: VideoStream; readonly size: number; readonly onStep: Progress },
  options: IndexOptions,
): Promise<Packets> {
  const shown: number[] = [];
  const keys: number[] = [];
  const all = { pts: [] as number[], positions: [] as number[], sizes: [] as number[] };
  let isAlike = true;
  // ffprobe prints the entries in its own order, regardless of this one.
  const entries = 'packet=pts,size,pos,flags:packet_side_data=side_data_type';
  await eachLine(tools, path, [entries, stream.stream], options, (line) => {
    const [first = '', bytes = '', position = '', flags = ''] = line.split(',');
    const time = Number.parseInt(first, 10);
    if (flags.includes('K') && !Number.isNaN(time)) keys.push(time);
    if (line.includes(CHANGED_DECODER)) isAlike &&= all.pts.length === 0;
    all.pts.push(time);
    all.positions.push(Number.parseInt(position, 10));
    all.sizes.push(Number.parseInt(bytes, 10));
    if (flags.includes('D')) return shown.length; // decoded, but hidden by an edit list
    shown.push(time);
    onStep(Number.parseInt(position, 10) / size);
    return shown.length;
  });
  if (shown.length === 0) throw brokenVideo(options.name);
  const pts = Float64Array.from(shown).sort();
  const table = isAlike && canBeTaken(stream) ? tableOf(all) : null;
  return { pts: areDistinct(pts) ? pts : null, keys: Float64Array.from(keys).sort(), table };
}

/** Side data of a packet that changes the decoder configuration. */
const CHANGED_DECODER = 'New Extradata';

/** Whether packets have the form of Matroska: H.264 and H.265 units preceded by their lengths. */
function canBeTaken({ codec, container, extradata }: VideoStream): boolean {
  if (container === 'other' || !hasMatroskaName(codec)) return false;
  return extradata[0] === 1 || !['h264', 'hevc'].includes(codec);
}

function tableOf(all: Readonly<Record<keyof PacketTable, readonly number[]>>): PacketTable | null {
  const pts = Float64Array.from(all.pts);
  if (!areDistinct(pts.toSorted()) || all.positions.some(Number.isNaN) || all.sizes.some(Number.isNaN)) return null;
  return { pts, positions: Float64Array.from(all.positions), sizes: Float64Array.from(all.sizes) };
}

/** @param sorted NaN is at the end */
const areDistinct = (sorted: Float64Array): boolean =>
  sorted.every((value, at) => (at === 0 ? !Number.isNaN(value) : value > (sorted[at - 1] ?? 0)));

/** Decodes the whole video. @returns NaN for frames without a time stamp */
async function listFrames(
  tools: VideoTools,
  path: string,
  { stream, onStep }: { readonly stream: VideoStream; readonly onStep: Progress },
  options: IndexOptions,
): Promise<Float64Array> {
  const pts: number[] = [];
  await eachLine(tools, path, ['frame=best_effort_timestamp', stream.stream], options, (line) => {
    if (!/^(-?\d+|N\/A)/.test(line)) return pts.length;
    const time = Number.parseInt(line, 10);
    pts.push(time);
    if (stream.duration > 0) onStep((time - (pts[0] ?? 0)) / stream.duration);
    return pts.length;
  });
  if (pts.length === 0) throw brokenVideo(options.name);
  return Float64Array.from(pts);
}

async function eachLine(
  tools: VideoTools,
  path: string,
  [entries, stream]: readonly [string, number],
  { name, limits = defaultVideoLimits, signal }: IndexOptions,
  take: (line: string) => number,
): Promise<void> {
  const args = ['-v', 'error', '-threads', '2', '-select_streams', String(stream), '-show_entries', entries];
  try {
    for await (const line of programLines(tools.ffprobe, [...args, '-of', 'csv=p=0', ...guardedInput(path)], {
      name,
      signal,
    })) {
      if (line !== '' && take(line) > limits.maxFrames)
        throw new MediaError(`ValueError: The video ${quoted(name)} has more than ${limits.maxFrames} frames`);
    }
  } catch (error) {
    throw error instanceof ProgramFailure ? brokenVideo(name, error) : error;
  }
}

/** Decodes from some of the keyframes, including the first and the last, and compares time stamps. */
async function samplesHold(
  tools: VideoTools,
  path: string,
  { index, onStep }: { readonly index: VideoIndex; readonly onStep: Progress },
  { name, signal }: IndexOptions,
): Promise<boolean> {
  const { pts } = index;
  const samples = sampleStarts(index).map((start) => ({
    start,
    promised: pts.subarray(start, sampleEnd(index, start)),
  }));
  const all = samples.reduce((sum, { promised }) => sum + promised.length, 0);
  let done = 0;
  const onFrame = (): void => onStep(++done / all);
  for (const { start, promised } of samples) {
    const found = await decodedTimes(tools, { path, name, index }, [start, promised.length], { signal, onFrame });
    if (found.length !== promised.length || found.some((time, at) => time !== promised[at])) return false;
  }
  return true;
}

function sampleStarts({ pts, keys }: VideoIndex): number[] {
  const starts = new Set([0]);
  const last = Math.max(0, keys.length - 1);
  for (let sample = 0; sample < SAMPLES; sample++) {
    const key = keys[Math.round((last * sample) / (SAMPLES - 1))] ?? pts[0] ?? 0;
    starts.add(Math.min(lowerBound(pts, key), pts.length - 1));
  }
  return [...starts];
}

/** A sample takes two groups, since frames of one may need the previous one; the last sample extends to the end. */
function sampleEnd({ pts, keys }: VideoIndex, start: number): number {
  const group = lowerBound(keys, (pts[start] ?? 0) + 0.5);
  const next = keys[group + 1];
  const longest = next === undefined ? start + LAST_FRAMES : start + SAMPLE_FRAMES;
  return Math.min(pts.length, longest, next === undefined ? pts.length : Math.max(start + 1, lowerBound(pts, next)));
}
