import { basename, dirname, join } from 'node:path';
import { MediaError, quoted } from '../media-error.js';

/** The two programs that read videos: paths, or names to look up in `PATH`. */
export interface VideoTools {
  readonly ffmpeg: string;
  readonly ffprobe: string;
}

/** @param ffmpeg path or name; ffprobe is expected in the same folder, under the corresponding name */
export function videoTools(ffmpeg: string): VideoTools {
  const name = basename(ffmpeg).replace('ffmpeg', 'ffprobe');
  const probe = name === basename(ffmpeg) ? 'ffprobe' : name;
  return { ffmpeg, ffprobe: dirname(ffmpeg) === '.' && !ffmpeg.startsWith('.') ? probe : join(dirname(ffmpeg), probe) };
}

/** Supported containers. */
export const FORMATS = 'mov,mp4,matroska,webm,avi,mpegts,mpeg,mpegvideo,flv,asf,ogg,mxf,h264,hevc,m4v,ivf';

/** Allows only the file itself: no playlists, no other protocols, no exotic containers. */
const INPUT_GUARD = ['-protocol_whitelist', 'file,pipe', '-format_whitelist', FORMATS];

/** Options for an untrusted input file. @param path absolute */
export const guardedInput = (path: string): string[] => [...INPUT_GUARD, '-i', `file:${path}`];

/** Creates the error for a file that is not a video, or is broken. */
export function brokenVideo(name: string, cause?: unknown): MediaError {
  return new MediaError(
    `av.error.InvalidDataError: [Errno 1094995529] Invalid data found when processing input: ${quoted(name)}`,
    { cause },
  );
}
