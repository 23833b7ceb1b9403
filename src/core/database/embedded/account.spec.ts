import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { chooseAccount, closedFolder, grants, parsePasswd } from './account.js';

const passwd = `root:x:0:0:root:/root:/bin/bash
nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin
# a comment
broken:x:abc:1::/:/bin/sh
postgres:x:101:104::/var/lib/postgresql:/bin/bash
`;

describe('parsePasswd', () => {
  it('reads accounts and skips malformed lines', () => {
    expect(parsePasswd(passwd)).toEqual([
      { name: 'root', uid: 0, gid: 0 },
      { name: 'nobody', uid: 65534, gid: 65534 },
      { name: 'postgres', uid: 101, gid: 104 },
    ]);
  });
});

describe('chooseAccount', () => {
  const accounts = parsePasswd(passwd);

  it('prefers postgres, then nobody', () => {
    expect(chooseAccount(accounts).name).toBe('postgres');
    expect(chooseAccount(accounts.filter(({ name }) => name !== 'postgres')).name).toBe('nobody');
  });

  it('keeps the owner of an existing cluster, named or not', () => {
    expect(chooseAccount(accounts, { uid: 65534, gid: 65534 }).name).toBe('nobody');
    expect(chooseAccount(accounts, { uid: 1000, gid: 100 })).toEqual({ name: '1000', uid: 1000, gid: 100 });
  });

  it('never chooses root', () => {
    expect(chooseAccount(accounts, { uid: 0, gid: 0 }).name).toBe('postgres');
    expect(() => chooseAccount([{ name: 'nobody', uid: 0, gid: 0 }])).toThrow(/refuses to run as root/);
  });
});

describe('grants', () => {
  const account = { name: 'a', uid: 7, gid: 8 };

  it.each([
    [{ uid: 7, gid: 0, mode: 0o700 }, true],
    [{ uid: 7, gid: 8, mode: 0o077 }, false],
    [{ uid: 0, gid: 8, mode: 0o710 }, true],
    [{ uid: 0, gid: 8, mode: 0o701 }, false],
    [{ uid: 0, gid: 0, mode: 0o701 }, true],
    [{ uid: 0, gid: 0, mode: 0o770 }, false],
  ])('enters %j: %s', (file, expected) => expect(grants(file, account, 1)).toBe(expected));
});

describe('closedFolder', () => {
  const base = mkdtempSync(join(tmpdir(), 'cairn-account-'));
  afterAll(() => rmSync(base, { recursive: true }));

  it('names the topmost folder that another account cannot enter', () => {
    // mkdtemp creates folders with mode 0700
    mkdirSync(join(base, 'inside'), { mode: 0o700 });
    expect(closedFolder(join(base, 'inside'), { name: 'stranger', uid: 4_000_000, gid: 4_000_000 })).toBe(base);
    expect(closedFolder('/', { name: 'stranger', uid: 4_000_000, gid: 4_000_000 })).toBeUndefined();
  });
});
