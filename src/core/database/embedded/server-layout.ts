import { type Stats, existsSync, statSync } from 'node:fs';
import { chmod, chown, lchown, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Account, closedFolder, serverAccount } from './account.js';
import { EmbeddedPostgresError, hasCode } from './embedded-postgres.error.js';
import { type Launcher, canPassClosedFolders, createLauncher } from './launcher.js';

/** The folders of one embedded server, and the account it runs as. */
export interface ServerLayout {
  /** `<dataDir>/postgres`: owned by the user of this process; the server's account can traverse it. */
  root: string;
  /** PostgreSQL's own data folder. */
  cluster: string;
  /** The password of both roles, readable only by the user of this process. */
  passwordFile: string;
  logFile: string;
  lockFile: string;
  /** undefined: PostgreSQL runs as the user of this process. */
  account: Account | undefined;
  launcher: Launcher;
}

/** Creates the folders and finds the account for the server of `dataDir`. */
export async function prepareLayout(dataDir: string): Promise<ServerLayout> {
  const root = join(resolve(dataDir), 'postgres');
  const cluster = join(root, 'cluster');
  const made = await makeFolders(root);
  const owner = statSync(cluster, { throwIfNoEntry: false });
  const account = serverAccount(owner);
  if (account) {
    await openFolders(made);
    await shareWith(root, account);
    if (owner) await handOver(cluster, owner, account);
  } else {
    requireOwn(cluster, owner);
  }
  const closed = account && closedFolder(root, account);
  if (account && closed && !canPassClosedFolders(account)) {
    throw new EmbeddedPostgresError(
      `PostgreSQL runs as user "${account.name}" because it refuses root, and that user has no access to ${closed}: start as an ordinary user, set DATA_DIR to a folder that this user can access, or set DATABASE_URL.`,
    );
  }
  return {
    root,
    cluster,
    passwordFile: join(root, 'password'),
    logFile: join(root, 'postgres.log'),
    lockFile: join(root, 'owner.lock'),
    account,
    launcher: createLauncher(account, closed !== undefined),
  };
}

/**
 * Creates `folder` with its parents and returns those that were missing. Node's recursive mkdir never returns if a
 * parent exists but nothing can be created in it (a link to an unmounted disk, /proc).
 */
async function makeFolders(folder: string): Promise<string[]> {
  const parent = dirname(folder);
  const made = existsSync(parent) || parent === folder ? [] : await makeFolders(parent);
  try {
    await mkdir(folder);
    return [...made, folder];
  } catch (error) {
    // Another process may have created it first.
    if (hasCode(error, 'EEXIST') && statSync(folder).isDirectory()) return made;
    throw error;
  }
}

/** Under a strict umask, new folders are closed to the server's account. */
async function openFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await chmod(folder, (await stat(folder)).mode | 0o011);
}

async function shareWith(root: string, account: Account): Promise<void> {
  if ((await stat(root)).uid !== 0) return; // created by an ordinary user, whose account PostgreSQL then uses
  await chown(root, 0, account.gid);
  await chmod(root, 0o710);
}

/** A cluster that root copied or restored belongs to root, but PostgreSQL refuses to run as root. */
async function handOver(cluster: string, owner: Stats, account: Account): Promise<void> {
  if (owner.uid === account.uid) return;
  for (const entry of await readdir(cluster, { recursive: true })) {
    await lchown(join(cluster, entry), account.uid, account.gid);
  }
  await chown(cluster, account.uid, account.gid);
}

function requireOwn(cluster: string, owner: Stats | undefined): void {
  const uid = process.getuid?.();
  if (!owner || uid === undefined || owner.uid === uid) return;
  throw new EmbeddedPostgresError(
    `${cluster} belongs to another user (number ${owner.uid}): start as that user or as root, or set DATA_DIR to another folder.`,
  );
}
