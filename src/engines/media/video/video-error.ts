import { MediaError, quoted } from '../media-error.js';

/** The error for a file that is no video, or a broken one. */
export function brokenVideo(name: string, cause?: unknown): MediaError {
  return new MediaError(
    `av.error.InvalidDataError: [Errno 1094995529] Invalid data found when processing input: ${quoted(name)}`,
    { cause },
  );
}
