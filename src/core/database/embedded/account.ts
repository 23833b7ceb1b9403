import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';

/** The operating-system account PostgreSQL runs as when Node itself runs as root. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** The accounts of an `/etc/passwd` text; malformed lines are skipped. */
export function parsePasswd(text: string): Account[] {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    if (!name || !/^\d+$/.test(uid ?? '') || !/^\d+$/.test(gid ?? '')) return [];
    return [{ name, uid: Number(uid), gid: Number(gid) }];
  });
}

/**
 * Chooses the account for PostgreSQL, which refuses to run as root: the owner of an existing cluster, else `postgres`,
 * else `nobody`. initdb needs an account with a name, so a numeric id is not enough for a new cluster.
 */
export function chooseAccount(accounts: readonly Account[], owner?: { uid: number; gid: number }): Account {
  if (owner && owner.uid !== 0) {
    const known = accounts.find((account) => account.uid === owner.uid);
    return { name: known?.name ?? String(owner.uid), uid: owner.uid, gid: owner.gid };
  }
  const account = ['postgres', 'nobody']
    .map((name) => accounts.find((candidate) => candidate.name === name && candidate.uid !== 0))
    .find((candidate) => candidate !== undefined);
  if (account) return account;
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root and there is no user "postgres" or "nobody": start as an ordinary user, or set DATABASE_URL.',
  );
}

/** The account for the server, or undefined if it runs as the user of this process. */
export function serverAccount(owner?: { uid: number; gid: number }): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return chooseAccount(parsePasswd(readFileSync('/etc/passwd', 'utf8')), owner);
}

/** Whether a file of this owner and mode grants `account` the permission `bit` (4 read, 2 write, 1 execute). */
export function grants(file: { uid: number; gid: number; mode: number }, account: Account, bit: number): boolean {
  const shift = file.uid === account.uid ? 6 : file.gid === account.gid ? 3 : 0;
  return ((file.mode >> shift) & bit) === bit;
}

/** The topmost folder on the path to `folder`, including `folder`, that `account` cannot enter, if any. */
export function closedFolder(folder: string, account: Account): string | undefined {
  const parent = dirname(folder);
  const above = parent === folder ? undefined : closedFolder(parent, account);
  return above ?? (grants(statSync(folder), account, 1) ? undefined : folder);
}
