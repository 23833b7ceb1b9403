import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { videoTools } from '../../engines/media/video/ffmpeg.js';
import { type Finding, ok, warning } from './finding.js';

const run = promisify(execFile);
const TIMEOUT_MS = 5_000;
const ADVICE =
  'Images need none; tasks of videos fail without it. Install it (Debian: apt-get install ffmpeg), or name it in FFMPEG_PATH.';

/**
 * Checks for the programs that read videos, and whether ffmpeg can encode H.264.
 * @param path path of ffmpeg, or a name to look up in PATH
 */
export async function checkFfmpeg(path: string): Promise<Finding> {
  const { ffmpeg, ffprobe } = videoTools(path);
  let asked = ffmpeg;
  try {
    const { stdout } = await run(ffmpeg, ['-version'], { timeout: TIMEOUT_MS });
    asked = ffprobe;
    await run(ffprobe, ['-version'], { timeout: TIMEOUT_MS });
    const { stdout: encoders } = await run(ffmpeg, ['-hide_banner', '-encoders'], { timeout: TIMEOUT_MS });
    if (!encoders.includes(' libx264 ')) {
      return warning(
        'ffmpeg',
        `${ffmpeg} has no encoder libx264`,
        'Chunks of videos cannot be made: install a build that has it.',
      );
    }
    return ok('ffmpeg', /^ffmpeg version (\S+)/.exec(stdout)?.[1] ?? path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const missing = code === 'ENOENT' || code === 'EACCES'; // EACCES also occurs if a folder in PATH is inaccessible
    return warning('ffmpeg', missing ? `${asked} is not found` : `${asked} does not run`, ADVICE);
  }
}
