import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Finding, ok, warning } from './finding.js';

const run = promisify(execFile);
const TIMEOUT_MS = 5_000;

/** @param path of the program, or a name that is looked up in PATH */
export async function checkFfmpeg(path: string): Promise<Finding> {
  try {
    const { stdout } = await run(path, ['-version'], { timeout: TIMEOUT_MS });
    return ok('ffmpeg', /^ffmpeg version (\S+)/.exec(stdout)?.[1] ?? path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const missing = code === 'ENOENT' || code === 'EACCES'; // EACCES also for a folder of PATH that is closed
    const advice = 'Images need none; videos cannot be read without it. Install it, or name it in FFMPEG_PATH.';
    return warning('ffmpeg', missing ? `${path} is not found` : `${path} does not run`, advice);
  }
}
