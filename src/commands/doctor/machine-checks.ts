import { totalmem } from 'node:os';
import semver from 'semver';
import { type Finding, gigabytes, ok, reasonOf, warning, wrong } from './finding.js';

const LITTLE_MEMORY = 700 * 2 ** 20;

/** @param wanted the version range in package.json */
export function checkNode(version: string, wanted: string): Finding {
  return semver.satisfies(version, wanted)
    ? ok('Node.js', version)
    : wrong('Node.js', `${version}, and ${wanted} is needed`, 'Install a newer Node.js.');
}

/** @param free memory available to a process, in bytes */
export function checkMemory(free: number, total: number = totalmem()): Finding {
  const text = `${gigabytes(free)} free of ${gigabytes(total)}`;
  if (free >= LITTLE_MEMORY) return ok('memory', text);
  return warning('memory', text, 'Large images and archives may end the server. Give the machine more memory.');
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
    return wrong(subject, reasonOf(error), 'Remove node_modules and run "npm ci" on this machine.');
  }
}
