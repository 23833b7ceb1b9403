import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Finding, ok, warning } from './finding.js';

const run = promisify(execFile);
const TIMEOUT_MS = 5_000;

/** Checks for the program that reads archives other than zip and tar. It is looked up in PATH. */
export async function checkBsdtar(program = 'bsdtar'): Promise<Finding> {
  try {
    const { stdout } = await run(program, ['--version'], { timeout: TIMEOUT_MS });
    return ok(program, /^bsdtar (\S+)/.exec(stdout)?.[1] ?? 'found');
  } catch {
    const advice =
      'Archives of the kinds 7z, rar, cpio, xz and zst need it. Install it (Debian: apt-get install libarchive-tools).';
    return warning(program, `${program} is not found`, advice);
  }
}
