import { totalmem } from 'node:os';
import semver from 'semver';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { access, constants, mkdtemp, readdir, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { videoTools } from '../../engines/media/video/ffmpeg.js';
import { type Finding, gigabytes, ok, reasonOf, warning, failure } from './finding.js';

const run = promisify(execFile);
const TIMEOUT_MS = 5_000;
const LITTLE_MEMORY = 700 * 2 ** 20;

/** @param wanted the version range in package.json */
export function checkNode(version: string, wanted: string): Finding {
  return semver.satisfies(version, wanted)
    ? ok('Node.js', version)
    : failure('Node.js', `${version}, but Cairn needs ${wanted}`, 'Install a newer version of Node.js.');
}

/** @param free memory available to a process, in bytes */
export function checkMemory(free: number, total: number = totalmem()): Finding {
  const text = `${gigabytes(free)} free of ${gigabytes(total)}`;
  if (free >= LITTLE_MEMORY) return ok('memory', text);
  return warning(
    'memory',
    text,
    'Large images and archives may exhaust the memory. Add memory, or stop other programs.',
  );
}

/** Checks native modules. They fail if node_modules was copied from another system or the installation is broken. */
export async function checkNativeModules(): Promise<Finding[]> {
  return Promise.all([
    load('images (sharp)', async () => {
      const { default: sharp } = await import('sharp');
      await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
        .jpeg()
        .toBuffer();
      return `libvips ${sharp.versions.vips}`;
    }),
    load('passwords', async () => {
      const { hash } = await import('@node-rs/argon2');
      await hash('password', { memoryCost: 1024, timeCost: 1 });
      return 'argon2 works';
    }),
  ]);
}

async function load(subject: string, use: () => Promise<string>): Promise<Finding> {
  try {
    return ok(subject, await use());
  } catch (error) {
    return failure(subject, reasonOf(error), 'Remove node_modules and run "npm ci" on this machine.');
  }
}

/** Checks for the program that reads archives other than zip and tar. It is looked up in PATH. */
export async function checkBsdtar(program = 'bsdtar'): Promise<Finding> {
  try {
    const { stdout } = await run(program, ['--version'], { timeout: TIMEOUT_MS });
    return ok(program, /^bsdtar (\S+)/.exec(stdout)?.[1] ?? 'found');
  } catch {
    const advice =
      'It is needed for 7z, rar, cpio, xz and zst archives. Install it (Debian: apt-get install libarchive-tools).';
    return warning(program, 'not found', advice);
  }
}

const ADVICE = 'It is needed for videos. Install it (Debian: apt-get install ffmpeg), or set FFMPEG_PATH.';

/**
 * Checks for the programs that read videos, and whether ffmpeg can encode H.264.
 * @param path path of ffmpeg, or a name to look up in PATH
 */
export async function checkFfmpeg(path: string): Promise<Finding> {
  const { ffmpeg, ffprobe } = videoTools(path);
  let program = ffmpeg;
  try {
    const { stdout } = await run(ffmpeg, ['-version'], { timeout: TIMEOUT_MS });
    program = ffprobe;
    await run(ffprobe, ['-version'], { timeout: TIMEOUT_MS });
    const { stdout: encoders } = await run(ffmpeg, ['-hide_banner', '-encoders'], { timeout: TIMEOUT_MS });
    if (!encoders.includes(' libx264 ')) {
      return warning(
        'ffmpeg',
        `${ffmpeg} has no libx264 encoder`,
        'It is needed for chunks of videos. Install a build of ffmpeg with libx264.',
      );
    }
    return ok('ffmpeg', /^ffmpeg version (\S+)/.exec(stdout)?.[1] ?? path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const missing = code === 'ENOENT' || code === 'EACCES'; // EACCES also occurs if a folder in PATH is inaccessible
    return warning('ffmpeg', missing ? `${program} not found` : `${program} cannot be run`, ADVICE);
  }
}

const LITTLE_SPACE = 5 * 2 ** 30;
const NO_SPACE = 300 * 2 ** 20;

/** Checks the data folder, or the folder in which it will be created. */
export async function checkDataFolder(folder: string): Promise<Finding[]> {
  const subject = 'data folder';
  try {
    const existing = await nearestFolder(folder);
    await access(existing, constants.W_OK | constants.X_OK);
    if (existing !== folder) await tryFolder(existing);
    const text = existing === folder ? folder : `${folder}, which will be created at the first start`;
    return [ok(subject, text), await checkSpace(existing)];
  } catch (error) {
    const advice = 'Make it writable for the user that runs Cairn, or set DATA_DIR to another folder.';
    return [failure(subject, `${folder} cannot be written to: ${reasonOf(error)}`, advice)];
  }
}

/** Permission bits are not enough on virtual file systems such as /proc. */
async function tryFolder(parent: string): Promise<void> {
  await rmdir(await mkdtemp(join(parent, '.cairn-')));
}

/** @returns no findings if no folder is shared */
export async function checkShareFolder(folder: string): Promise<Finding[]> {
  if (folder === '') return [];
  try {
    await readdir(folder);
    return [ok('shared folder', folder)];
  } catch (error) {
    const text = `${folder} cannot be read: ${reasonOf(error)}`;
    return [failure('shared folder', text, 'Make it readable for the user that runs Cairn, or change SHARE_DIR.')];
  }
}

async function checkSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `${gigabytes(free)} free`;
  if (free < NO_SPACE) return failure('disk', text, 'Free disk space. Nothing can be stored.');
  if (free < LITTLE_SPACE) return warning('disk', text, 'Free disk space soon, or set DATA_DIR to a larger disk.');
  return ok('disk', text);
}

async function nearestFolder(path: string): Promise<string> {
  try {
    if (!(await stat(path)).isDirectory()) throw new Error(`${path} is not a folder`);
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return nearestFolder(dirname(path));
  }
}
