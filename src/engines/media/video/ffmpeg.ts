import { basename, dirname, join } from 'node:path';
import { MediaError, quoted } from '../media-error.js';

/** The two programs that read videos: paths, or names that are looked up in `PATH`. */
export interface VideoTools {
  readonly ffmpeg: string;
  readonly ffprobe: string;
}

/** @param ffmpeg path or name; ffprobe is expected beside it, under the corresponding name */
export function videoTools(ffmpeg: string): VideoTools {
  const name = basename(ffmpeg).replace('ffmpeg', 'ffprobe');
  const probe = name === basename(ffmpeg) ? 'ffprobe' : name;
  return { ffmpeg, ffprobe: dirname(ffmpeg) === '.' && !ffmpeg.startsWith('.') ? probe : join(dirname(ffmpeg), probe) };
}

/** Containers that are read. */
export const FORMATS = 'mov,mp4,matroska,webm,avi,mpegts,mpeg,mpegvideo,flv,asf,ogg,mxf,h264,hevc,m4v,ivf';

/** Nothing but the file itself is opened: no playlists, no other protocols, none of the exotic containers. */
const INPUT_GUARD = ['-protocol_whitelist', 'file,pipe', '-format_whitelist', FORMATS];

/** Options for an input file that somebody sent. @param path absolute */
export const guardedInput = (path: string): string[] => [...INPUT_GUARD, '-i', `file:${path}`];

/** The error for a file that is no video, or a broken one. */
export function brokenVideo(name: string, cause?: unknown): MediaError {
  return new MediaError(
    `av.error.InvalidDataError: [Errno 1094995529] Invalid data found when processing input: ${quoted(name)}`,
    { cause },
  );
}
