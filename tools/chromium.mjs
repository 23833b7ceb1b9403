// The browser for tests and benchmarks: Debian's Chromium, unless CHROMIUM_PATH names another.
import { existsSync } from 'node:fs';

const ARGUMENTS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Options for starting it with Playwright: without a graphics card, and without the browser's own background requests.
 *
 * @returns {{executablePath: string, args: string[]}}
 * @throws {Error} if it is not installed
 */
export function chromiumOptions() {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(
      `There is no Chromium at ${executablePath}: install it (Debian: apt-get install chromium), or set CHROMIUM_PATH.`,
    );
  }
  const isRoot = process.getuid?.() === 0;
  return { executablePath, args: isRoot ? [...ARGUMENTS, '--no-sandbox'] : ARGUMENTS };
}
