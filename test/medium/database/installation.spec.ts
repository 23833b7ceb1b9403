import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { Config } from '../../../src/config/config.js';
import { readConfig } from '../../../src/config/env.js';
import {
  adoptInstallation,
  InstallationError,
  installationProblem,
  requireSameInstallation,
} from '../../../src/core/database/installation.js';
import { createTestDatabase, execute, type TestDatabase } from '../../support/database.js';

async function recordedIn({ url }: TestDatabase): Promise<string[]> {
  const client = new Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ folder_id: string }>('select folder_id from installation');
    return rows.map((row) => row.folder_id);
  } finally {
    await client.end();
  }
}

describe('an installation', () => {
  let database: TestDatabase;
  let folders: string[];

  beforeEach(async () => {
    database = await createTestDatabase();
    folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'cairn-installation-'))));
  });
  afterEach(async () => {
    await database.drop();
    for (const folder of folders) await rm(folder, { recursive: true });
  });

  const config = (folder = 0, secret = 'one secret key, which is long enough'): Config =>
    readConfig({ DATABASE_URL: database.url, DATA_DIR: folders[folder], SECRET_KEY: secret });

  it('is the same for all processes, even if they start at once', async () => {
    await Promise.all([1, 2, 3].map(() => requireSameInstallation(config())));
    await requireSameInstallation(config());
  });

  it('refuses another data folder', async () => {
    await requireSameInstallation(config());
    await expect(requireSameInstallation(config(1))).rejects.toThrow(InstallationError);
    await expect(requireSameInstallation(config(1))).rejects.toThrow(
      `${folders[1]} does not belong to the database: it has no file installation.id`,
    );
    await writeFile(join(folders[1] ?? '', 'installation.id'), '00000000-0000-4000-8000-000000000000');
    await expect(requireSameInstallation(config(1))).rejects.toThrow(`another data folder than ${folders[1]}`);
  });

  it('belongs to one of two folders if both start at once', async () => {
    const starts = await Promise.allSettled([requireSameInstallation(config(0)), requireSameInstallation(config(1))]);
    expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('is recorded only after the place of its files has been claimed, by one process at a time', async () => {
    const refused = new InstallationError('not this one');
    await expect(requireSameInstallation(config(), () => Promise.reject(refused))).rejects.toBe(refused);
    expect(await recordedIn(database)).toEqual([]);

    const owners: string[] = [];
    const claim = (id: string): Promise<void> => {
      owners.push(id);
      return Promise.resolve();
    };
    await Promise.allSettled([requireSameInstallation(config(0), claim), requireSameInstallation(config(1), claim)]);
    expect(await recordedIn(database)).toEqual(owners);
  });

  it('refuses another secret', async () => {
    await requireSameInstallation(config());
    const other = config(0, 'another secret key, which is long enough');
    await expect(requireSameInstallation(other)).rejects.toThrow('belongs to another SECRET_KEY');
    await requireSameInstallation(config());
  });

  it('accepts a copy of the data folder, and a new database', async () => {
    await requireSameInstallation(config(0));
    await writeFile(
      join(folders[1] ?? '', 'installation.id'),
      await readFile(join(folders[0] ?? '', 'installation.id')),
    );
    await requireSameInstallation(config(1));
    await execute(database.url, 'delete from installation');
    await requireSameInstallation(config(0));
    await requireSameInstallation(config(1));
  });

  it('can be checked without binding anything', async () => {
    const problem = async (of: Config): Promise<string | null> => {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      try {
        return await installationProblem(client, of);
      } finally {
        await client.end();
      }
    };
    expect(await problem(config(1))).toBeNull();
    await requireSameInstallation(config(0));
    expect(await problem(config(0))).toBeNull();
    expect(await problem(config(1))).toContain('has no file installation.id');
  });

  it('can be bound to another data folder and secret', async () => {
    await requireSameInstallation(config(0));
    const other = config(1, 'another secret key, which is long enough');
    await adoptInstallation(other);
    await requireSameInstallation(other);
    await expect(requireSameInstallation(config(0))).rejects.toThrow(InstallationError);
  });
});
