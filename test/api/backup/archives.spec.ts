import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ArchiveWriter } from '../../../src/backup/archive-writer.js';
import { backupCommand } from '../../../src/commands/backup.js';
import { isCut, openSource, openTarget } from '../../../src/commands/backup-archives.js';
import type { Config } from '../../../src/config/config.js';
import { readConfig } from '../../../src/config/env.js';
import { createObjectStore, type ObjectStore, STORE_KEY } from '../../support/object-store.js';

describe('archives of backups', () => {
  let store: ObjectStore;
  let bucket: Map<string, Buffer>;
  let folder: string;
  let config: Config;

  beforeAll(async () => {
    store = await createObjectStore();
    bucket = new Map();
    store.buckets.set('backups', bucket);
    folder = await mkdtemp(join(tmpdir(), 'cairn-archives-'));
    config = readConfig({
      DATA_DIR: folder,
      MEDIA_S3_ENDPOINT: store.url,
      MEDIA_S3_ACCESS_KEY_ID: STORE_KEY.key,
      MEDIA_S3_SECRET_ACCESS_KEY: STORE_KEY.secret_key,
    });
  });
  afterAll(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  const content = randomBytes(1000);
  const write = async (to: string): Promise<void> => {
    const { stream, keep } = await openTarget(to, config);
    stream.end(content);
    await keep();
  };

  it('are written to a bucket and read from it', async () => {
    await write('s3://backups/daily/a.tar');
    expect([...bucket.keys()]).toEqual(['daily/a.tar']);
    expect(await buffer(await openSource('s3://backups/daily/a.tar', config))).toEqual(content);
    await expect(write('s3://backups/daily/a.tar')).rejects.toThrow('s3://backups/daily/a.tar exists already');
    await expect(openSource('s3://backups/none.tar', config)).rejects.toThrow('s3://backups/none.tar does not exist');
  });

  it('are not left in a bucket after an error', async () => {
    const { stream, discard } = await openTarget('s3://backups/b.tar', config);
    stream.write(content);
    await discard();
    expect(bucket.has('b.tar')).toBe(false);
  });

  it('are files that appear when they are complete', async () => {
    const path = join(folder, 'c.tar');
    const { stream, keep } = await openTarget(path, config);
    stream.end(content);
    await new Promise((resolve) => stream.once('close', resolve));
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^c\.tar\.[\da-f]{8}\.part$/)]);
    await keep();
    expect(await readdir(folder)).toEqual(['c.tar']);
    await expect(openTarget(path, config)).rejects.toThrow('exists already');
    const failed = await openTarget(join(folder, 'd.tar'), config);
    await failed.discard();
    expect(await readdir(folder)).toEqual(['c.tar']);
  });

  it('never replace each other', async () => {
    const path = join(folder, 'e.tar');
    const [first, second, third] = [await openTarget(path, config), await openTarget(path, config), await openTarget(path, config)];
    for (const [target, text] of [[first, 'first'], [second, 'second']] as const) {
      target.stream.end(text);
      await finished(target.stream);
    }
    await third.discard();
    await first.keep();
    await expect(second.keep()).rejects.toThrow(`${path} exists already`);
    expect(await readFile(path, 'utf8')).toBe('first');
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
  }); // prettier-ignore

  it('report why an upload failed', async () => {
    await expect(write('s3://nobucket/a.tar')).rejects.toThrow('nobucket');
    const { stream, discard } = await openTarget('s3://nobucket/a.tar', config);
    const writer = await ArchiveWriter.open(stream);
    const part = Buffer.alloc(8 * 2 ** 20);
    const writing = (async () => {
      for (let each = 0; each < 40; each++) await writer.add(`part-${each}`, part);
    })();
    const error: unknown = await writing.catch((reason: unknown) => reason);
    await writer.close(error);
    const problem = await discard();
    expect(isCut(error) ? problem : error).toMatchObject({ message: expect.stringContaining('nobucket') });
  });

  it('need the name of a file or of an object', async () => {
    for (const place of ['', 's3://backups', 's3://backups/', 's3:///a.tar', 'gs://backups/a.tar', 'http://127.0.0.1/a.tar']) {
      await expect(openTarget(place, config)).rejects.toThrow('It must be a file, s3://bucket/name or -.');
      await expect(openSource(place, config)).rejects.toThrow('It must be a file, s3://bucket/name or -.');
    }
  }); // prettier-ignore

  it('are not made of a folder without an installation', async () => {
    const before = { ...process.env };
    const empty = join(folder, 'mistyped');
    Object.assign(process.env, { DATA_DIR: empty, DATABASE_URL: '' });
    try {
      const made = backupCommand({ to: join(folder, 'f.tar'), secretKey: true });
      await expect(made).rejects.toThrow(`There is no installation in ${empty}. Set DATA_DIR to`);
    } finally {
      process.env = before;
    }
    expect(await readdir(folder)).not.toContain('mistyped');
  });

  it('name the reason if they cannot be opened', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(openTarget(join(folder, 'none', 'a.tar'), config)).rejects.toThrow(
      `${join(folder, 'none')}: it does not exist (ENOENT)`,
    );
    await expect(openTarget(join(folder, 'file', 'a.tar'), config)).rejects.toThrow('(ENOTDIR)');
    await expect(openSource(join(folder, 'none.tar'), config)).rejects.toThrow('it does not exist (ENOENT)');
  });
});
