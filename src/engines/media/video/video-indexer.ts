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
  /** How the client calls the file, for errors. */
  readonly name: string;
  readonly limits?: VideoLimits;
  readonly signal?: AbortSignal | undefined;
  /** 0 to 1, never back. */
  readonly onProgress?: (done: number) => void;
}

/** What is told of one step of the work: 0 to 1. */
type Told = (part: number) => void;

/** Places at which some frames are decoded for comparison, and at most how many. */
const SAMPLES = 5;
const SAMPLE_FRAMES = 100;
const LAST_FRAMES = 3000;
/** The packets of so many bytes are listed in the time in which the samples are decoded. */
const BYTES_LIKE_SAMPLES = 4 * 2 ** 30;
/** The part of the samples where all of the video had to be decoded before them. */
const LITTLE = 0.05;

/**
 * Makes the index of a video. Packets are listed, which reads the file and decodes nothing; then some groups of
 * pictures are decoded. Where they give other frames than the packets promised (fields, packed or missing pictures, time
 * stamps that are only guessed), all of the video is decoded once and its frames are listed.
 * @param path absolute
 * @throws MediaError that names the file
 */
export async function indexVideo(tools: VideoTools, path: string, options: IndexOptions): Promise<VideoIndex> {
  const stream = await probeVideo(tools, path, options.name, options);
  const { size } = await stat(path);
  const until = stepsOf(options.onProgress);
  const listing = size / (size + BYTES_LIKE_SAMPLES);
  const packets = await listPackets(tools, path, { stream, size, told: until(listing) }, options);
  if (packets.pts !== null) {
    const index = { ...stream, pts: packets.pts, keys: packets.keys, seekable: true, packets: packets.table };
    if (await samplesHold(tools, path, { index, told: until(1) }, options)) return index;
  }
  const pts = await listFrames(tools, path, { stream, told: until(1 - LITTLE) }, options);
  const distinct = pts.every((value, at) => at === 0 || value > (pts[at - 1] ?? 0));
  const index = { ...stream, pts, keys: packets.keys, seekable: distinct, packets: null };
  if (distinct && (await samplesHold(tools, path, { index, told: until(1) }, options))) return index;
  return { ...index, keys: new Float64Array(), seekable: false };
}

/** Steps of which each begins where the one before has come to. @returns what tells of a step that ends at `end` */
function stepsOf(onProgress: Told = () => undefined): (end: number) => Told {
  let reached = 0;
  return (end) => {
    const begin = reached;
    return (part) => {
      if (Number.isNaN(part)) return; // neither place nor time is known
      reached = Math.max(reached, begin + (end - begin) * Math.min(1, part));
      onProgress(reached);
    };
  };
}

interface Packets {
  /** Null where not every packet has a time stamp of its own. */
  readonly pts: Float64Array | null;
  readonly keys: Float64Array;
  readonly table: PacketTable | null;
}

async function listPackets(
  tools: VideoTools,
  path: string,
  { stream, size, told }: { readonly stream: VideoStream; readonly size: number; readonly told: Told },
  options: IndexOptions,
): Promise<Packets> {
  const shown: number[] = [];
  const keys: number[] = [];
  const all = { pts: [] as number[], positions: [] as number[], sizes: [] as number[] };
  let isAlike = true;
  // ffprobe has an order of its own for what it is asked for.
  const entries = 'packet=pts,size,pos,flags:packet_side_data=side_data_type';
  await eachLine(tools, path, [entries, stream.stream], options, (line) => {
    const [first = '', bytes = '', position = '', flags = ''] = line.split(',');
    const time = Number.parseInt(first, 10);
    if (flags.includes('K') && !Number.isNaN(time)) keys.push(time);
    if (line.includes(CHANGED_DECODER)) isAlike &&= all.pts.length === 0;
    all.pts.push(time);
    all.positions.push(Number.parseInt(position, 10));
    all.sizes.push(Number.parseInt(bytes, 10));
    if (flags.includes('D')) return shown.length; // decoded, and hidden by an edit list
    shown.push(time);
    told(Number.parseInt(position, 10) / size);
    return shown.length;
  });
  if (shown.length === 0) throw brokenVideo(options.name);
  const pts = Float64Array.from(shown).sort();
  const table = isAlike && canBeTaken(stream) ? tableOf(all) : null;
  return { pts: areDistinct(pts) ? pts : null, keys: Float64Array.from(keys).sort(), table };
}

/** From here on the decoder is to be set up otherwise. */
const CHANGED_DECODER = 'New Extradata';

/** Whether packets are stored as Matroska has them: those of H.264 and H.265 with their lengths before them. */
function canBeTaken({ codec, container, extradata }: VideoStream): boolean {
  if (container === 'other' || !hasMatroskaName(codec)) return false;
  return extradata[0] === 1 || !['h264', 'hevc'].includes(codec);
}

function tableOf(all: Readonly<Record<keyof PacketTable, readonly number[]>>): PacketTable | null {
  const pts = Float64Array.from(all.pts);
  if (!areDistinct(pts.toSorted()) || all.positions.some(Number.isNaN) || all.sizes.some(Number.isNaN)) return null;
  return { pts, positions: Float64Array.from(all.positions), sizes: Float64Array.from(all.sizes) };
}

/** @param sorted NaN stands at its end */
const areDistinct = (sorted: Float64Array): boolean =>
  sorted.every((value, at) => (at === 0 ? !Number.isNaN(value) : value > (sorted[at - 1] ?? 0)));

/** Decodes everything. @returns NaN for frames without a time stamp */
async function listFrames(
  tools: VideoTools,
  path: string,
  { stream, told }: { readonly stream: VideoStream; readonly told: Told },
  options: IndexOptions,
): Promise<Float64Array> {
  const pts: number[] = [];
  await eachLine(tools, path, ['frame=best_effort_timestamp', stream.stream], options, (line) => {
    if (!/^(-?\d+|N\/A)/.test(line)) return pts.length;
    const time = Number.parseInt(line, 10);
    pts.push(time);
    if (stream.duration > 0) told((time - (pts[0] ?? 0)) / stream.duration);
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

/** Decodes from some of the keyframes, the first and the last among them, and compares time stamps. */
async function samplesHold(
  tools: VideoTools,
  path: string,
  { index, told }: { readonly index: VideoIndex; readonly told: Told },
  { name, signal }: IndexOptions,
): Promise<boolean> {
  const { pts } = index;
  const samples = sampleStarts(index).map((start) => ({
    start,
    promised: pts.subarray(start, sampleEnd(index, start)),
  }));
  const all = samples.reduce((sum, { promised }) => sum + promised.length, 0);
  let done = 0;
  const onFrame = (): void => told(++done / all);
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

/** A sample takes two groups, for pictures of one may need the one before; and all of a video's last frames. */
function sampleEnd({ pts, keys }: VideoIndex, start: number): number {
  const group = lowerBound(keys, (pts[start] ?? 0) + 0.5);
  const next = keys[group + 1];
  const longest = next === undefined ? start + LAST_FRAMES : start + SAMPLE_FRAMES;
  return Math.min(pts.length, longest, next === undefined ? pts.length : Math.max(start + 1, lowerBound(pts, next)));
}
