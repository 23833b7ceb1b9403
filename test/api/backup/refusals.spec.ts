import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { backUp, type BackupResult } from '../../../src/backup/backup.js';
import { openRestoreStorage } from '../../../src/backup/backup-storage.js';
import { restore, type RestoreResult } from '../../../src/backup/restore.js';
import type { Config } from '../../../src/config/config.js';
import { readConfig } from '../../../src/config/env.js';
import { requireSameInstallation } from '../../../src/core/database/installation.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { execute, serverVariable, withDatabase } from '../../support/database.js';
import { Given } from '../../support/given.js';
import { givenPhotos } from '../../support/given-media.js';
import { createObjectStore, type ObjectStore, STORE_KEY } from '../../support/object-store.js';

const SECRET_KEY = 'a secret of the tests';

describe('backup and restore refuse', () => {
  let app: TestApp;
  let archive: Buffer;
  let store: ObjectStore;
  let bucket: Map<string, Buffer>;
  const folders: string[] = [];
  const databases: string[] = [];
  const server = process.env[serverVariable] ?? '';

  beforeAll(async () => {
    store = await createObjectStore();
    app = await createTestApp({ env: { SECRET_KEY } });
    await requireSameInstallation(app.config);
    await givenPhotos(app, await new Given(app).person(), 2);
    const parts: Buffer[] = [];
    await backup(new Writable({ write: (part: Buffer, _, done) => (parts.push(part), done()) }));
    archive = Buffer.concat(parts);
  });
  afterAll(async () => {
    for (const name of databases) await execute(server, `drop database ${name}`);
    for (const folder of folders) await rm(folder, { recursive: true });
    await store.close();
    await app.close();
  });

  const backup = (target: Writable, more: object = {}): Promise<BackupResult> =>
    backUp({ config: app.config, target, secretKey: true, ...more });

  const newFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-refusals-'));
    folders.push(folder);
    return folder;
  };

  /** Settings with an empty database and an empty data folder. */
  async function emptyPlace(mediaUrl: string): Promise<Config> {
    const name = `cairn_refusals_${randomBytes(8).toString('hex')}`;
    await execute(server, `create database ${name}`);
    databases.push(name);
    return readConfig({
      SECRET_KEY,
      DATABASE_URL: withDatabase(server, name),
      DATA_DIR: await newFolder(),
      MEDIA_URL: mediaUrl,
      MEDIA_S3_ENDPOINT: store.url,
      MEDIA_S3_ACCESS_KEY_ID: STORE_KEY.key,
      MEDIA_S3_SECRET_ACCESS_KEY: STORE_KEY.secret_key,
    });
  }

  const restored = (config: Config, source: Readable = Readable.from([archive])): Promise<RestoreResult> => {
    const storage = openRestoreStorage(config);
    return restore({ config, extensions: [], storage, source, newSecret: false, webhooks: true });
  };

  const sink = (): Writable => new Writable({ write: (_, __, done) => done() });

  it('a backup with the data folder of another installation, or of none', async () => {
    const config = { ...app.config, dataDir: await newFolder() };
    await expect(backup(sink(), { config })).rejects.toThrow(
      `The data folder ${config.dataDir} does not belong to the database: it has no file installation.id.`,
    );
  });

  it('a second backup while the first one runs the database, and complete the first', async () => {
    const slow = new PassThrough(); // takes nothing until it is read
    const first = backup(slow, { runsDatabase: true });
    while (slow.readableLength === 0) await delay(20);
    await expect(backup(sink())).rejects.toThrow(
      'Another backup is running, and stops the database at its end. Wait until it has finished.',
    );
    slow.resume();
    expect((await first).files).toBeGreaterThan(0);
    const both = await Promise.all([backup(sink()), backup(sink())]);
    expect(both[0].files).toBe(both[1].files);
  });

  it('a second restore into the same bucket with another database, and complete the first', async () => {
    bucket = new Map();
    store.buckets.set('restored', bucket);
    const [one, other] = [await emptyPlace('s3://restored/media'), await emptyPlace('s3://restored/media')];
    const slow = new PassThrough();
    slow.write(archive.subarray(0, 1000));
    const first = restored(one, slow);
    while (bucket.size === 0) await delay(20);
    await expect(restored(other)).rejects.toThrow(
      /^Another restore into s3:\/\/restored\/media is running\. If it was killed, delete the object restoring\//,
    );
    slow.end(archive.subarray(1000));
    const { files } = (await first).manifest;
    const left = [...bucket.keys()].filter((key) => !key.startsWith('media/media/'));
    expect([bucket.size - left.length, left]).toEqual([files, ['media/installation.id']]);
    await requireSameInstallation(one);
  });

  it('a restore into the bucket of another installation', async () => {
    bucket = new Map([['media/installation.id', Buffer.from('another\n')]]);
    store.buckets.set('owned', bucket);
    await expect(restored(await emptyPlace('s3://owned/media'))).rejects.toThrow(
      's3://owned/media belongs to another installation. Set MEDIA_URL to another prefix.',
    );
    expect([...bucket.keys()]).toEqual(['media/installation.id']);
  });
});
