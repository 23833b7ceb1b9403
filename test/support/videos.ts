import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';

/** Number of bars in a frame of {@link numberedVideo}: one per bit of the frame number. */
const BITS = 11;
const BAR = 16;
export const VIDEO_WIDTH = BITS * BAR;
export const VIDEO_HEIGHT = 48;

const installed = spawnSync('ffmpeg', ['-version']).status === 0;

/** Tests that need ffmpeg are skipped if it is missing, except in CI. */
export const describeWithFfmpeg = installed || process.env['CI'] !== undefined ? describe : describe.skip;

export interface VideoOptions {
  /** File name, whose extension selects the container. */
  readonly file?: string;
  readonly frames?: number;
  /** Arguments for the encoder. */
  readonly encoder?: readonly string[];
  /** Additional filters, applied after the bars are drawn. */
  readonly filter?: string;
  readonly output?: readonly string[];
  /** Rotation in degrees in the file's metadata. */
  readonly rotate?: number;
}

export const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '3', '-g', '20', '-pix_fmt', 'yuv420p'];

/** A video whose frames encode their number: bar k is white if bit k of the number is set. */
export function numberedVideo(options: VideoOptions = {}): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-video-'));
  try {
    const path = join(folder, options.file ?? 'numbers.mp4');
    writeNumberedVideo(path, options);
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A video container that only has an audio track. @param file its extension selects the container */
export function soundOnly(file: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-sound-'));
  try {
    const path = join(folder, file);
    execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'sine=frequency=440:duration=1', path]);
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes a {@link numberedVideo} to a file. */
export function writeNumberedVideo(
  path: string,
  { frames = 100, encoder = H264, filter, output = [], rotate }: VideoOptions = {},
): void {
  const bars = `geq=lum='16+219*mod(floor(N/pow(2,floor(X/${BAR}))),2)':cb=128:cr=128`;
  const source = `color=black:s=${VIDEO_WIDTH}x${VIDEO_HEIGHT}:r=25:d=${frames / 25},${bars}`;
  const filters = filter === undefined ? source : `${source},${filter}`;
  const args = ['-v', 'error', '-y', '-f', 'lavfi', '-i', filters, '-vsync', 'passthrough', ...encoder, ...output];
  execFileSync('ffmpeg', [...args, path]);
  if (rotate === undefined) return;
  const turned = `${path}.turned.mp4`;
  execFileSync('ffmpeg', ['-v', 'error', '-i', path, '-c', 'copy', '-metadata:s:v', `rotate=${rotate}`, turned]);
  renameSync(turned, path);
}

/** The frame number in an image of {@link numberedVideo}. @param channels bytes per pixel */
export function numberIn(pixels: Buffer, width: number, height: number, channels = 3): number {
  let number = 0;
  for (let bit = 0; bit < BITS; bit++) {
    const x = Math.floor(((bit + 0.5) * width) / BITS);
    const value = pixels[(Math.floor(height / 2) * width + x) * channels] ?? 0;
    if (value > 127) number += 2 ** bit;
  }
  return number;
}

/** The numbers of all frames of a {@link numberedVideo}, in order. */
export function decodedNumbers(video: Buffer, size = { width: VIDEO_WIDTH, height: VIDEO_HEIGHT }): number[] {
  const pixels = decoded(video, ['-f', 'rawvideo', '-pix_fmt', 'rgb24']);
  const bytes = size.width * size.height * 3;
  return Array.from({ length: pixels.length / bytes }, (_, at) =>
    numberIn(pixels.subarray(at * bytes, (at + 1) * bytes), size.width, size.height),
  );
}

/** A frame as players show it, as PNG. */
export const playedFrame = (video: Buffer, frame: number): Buffer =>
  decoded(video, ['-vf', `select='eq(n,${frame})'`, '-frames:v', '1', '-f', 'image2pipe', '-c:v', 'png']);

function decoded(video: Buffer, output: readonly string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-video-'));
  try {
    const path = join(folder, 'video');
    writeFileSync(path, video);
    const args = ['-v', 'error', '-i', path, '-vsync', 'passthrough', ...output, '-'];
    return execFileSync('ffmpeg', args, { maxBuffer: 2 ** 30 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
