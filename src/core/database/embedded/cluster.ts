import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.js';
import { EmbeddedPostgresError, hasCode } from './embedded-postgres.error.js';
import { databaseName, roleName } from './endpoint.js';
import type { ServerLayout } from './server-layout.js';

const superuser = 'postgres';
const stagingPrefix = 'initdb-';

/** Ensures that the data folder contains a complete cluster of the binaries' version. Only the owner may call it. */
export async function ensureCluster(layout: ServerLayout, binaries: Binaries): Promise<void> {
  const found = await readVersion(layout.cluster);
  if (found === undefined) return createCluster(layout, binaries);
  if (found === String(binaries.major)) return;
  throw new EmbeddedPostgresError(
    `${layout.cluster} was written by PostgreSQL ${found} and this is PostgreSQL ${binaries.major}: start the Cairn version that wrote it, or move its data with pg_dump and pg_restore to a new DATA_DIR.`,
  );
}

/** Reads the password that both roles share. */
export async function readPassword(layout: ServerLayout): Promise<string> {
  try {
    return (await readFile(layout.passwordFile, 'utf8')).trim();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new EmbeddedPostgresError(
      `The file ${layout.passwordFile} is missing: put it back from a backup, or move ${layout.root} away to begin with an empty database.`,
    );
  }
}

async function readVersion(cluster: string): Promise<string | undefined> {
  try {
    return (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  const there = await stat(cluster).catch(() => undefined);
  if (!there) return undefined;
  throw new EmbeddedPostgresError(
    `${cluster} exists and is no PostgreSQL data folder: move it away, or set DATA_DIR to another folder.`,
  );
}

/**
 * Creates the cluster in a temporary sibling folder and renames it when it is complete, so that a crash leaves no
 * partial cluster.
 */
async function createCluster(layout: ServerLayout, binaries: Binaries): Promise<void> {
  for (const name of await readdir(layout.root)) {
    if (name.startsWith(stagingPrefix)) await rm(join(layout.root, name), { recursive: true, force: true });
  }
  const password = randomBytes(24).toString('hex');
  await rm(layout.passwordFile, { force: true });
  await writeFile(layout.passwordFile, `${password}\n`, { mode: 0o600, flush: true });
  const staging = await mkdtemp(join(layout.root, stagingPrefix));
  try {
    const cluster = join(staging, 'cluster');
    await initialise(layout, binaries, { staging, cluster, password });
    await rename(cluster, layout.cluster);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function initialise(
  { account, launcher }: ServerLayout,
  binaries: Binaries,
  { staging, cluster, password }: { staging: string; cluster: string; password: string },
): Promise<void> {
  const passwordFile = join(staging, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  await mkdir(cluster, { mode: 0o700 });
  if (account) for (const path of [passwordFile, cluster, staging]) await chown(path, account.uid, account.gid);
  await launcher.run('Making the PostgreSQL data folder', binaries.initdb, [
    `--pgdata=${cluster}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    // The builtin provider sorts and folds the same on every system; libc locales differ between systems.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]);
  // The application's role owns its database and is not a superuser. Single-user mode needs no listening server.
  const statements = [
    `CREATE ROLE ${roleName} LOGIN CREATEDB PASSWORD '${password}'`,
    `CREATE DATABASE ${databaseName} OWNER ${roleName}`,
  ];
  await launcher.run(
    'Making the database',
    binaries.postgres,
    ['--single', '-D', cluster, '-c', 'exit_on_error=on', 'postgres'],
    statements.map((statement) => `${statement}\n`).join(''),
  );
}
