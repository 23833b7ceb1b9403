import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { backUp } from '../../../src/backup/backup.js';
import { openRestoreStorage } from '../../../src/backup/backup-storage.js';
import { restore } from '../../../src/backup/restore.js';
import { readConfig } from '../../../src/config/env.js';
import { requireSameInstallation } from '../../../src/core/database/installation.js';
import { createTestApp } from '../../support/app.js';
import { execute, serverVariable, withDatabase } from '../../support/database.js';
import { Given } from '../../support/given.js';
import { givenPhotos } from '../../support/given-media.js';
import { createObjectStore, STORE_KEY } from '../../support/object-store.js';

it('a backup of files in a bucket is restored to another bucket', async () => {
  const store = await createObjectStore();
  const buckets = [new Map<string, Buffer>(), new Map<string, Buffer>()] as const;
  store.buckets.set('first', buckets[0]);
  store.buckets.set('second', buckets[1]);
  const settings = {
    SECRET_KEY: 'a secret of the tests',
    MEDIA_S3_ENDPOINT: store.url,
    MEDIA_S3_ACCESS_KEY_ID: STORE_KEY.key,
    MEDIA_S3_SECRET_ACCESS_KEY: STORE_KEY.secret_key,
  };
  const app = await createTestApp({ env: { ...settings, MEDIA_URL: 's3://first/media-of-cairn' } });
  await requireSameInstallation(app.config);
  await givenPhotos(app, await new Given(app).person(), 3);
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bucket-'));
  const archive = join(folder, 'backup.tar');
  const { missing } = await backUp({ config: app.config, target: createWriteStream(archive), secretKey: true });
  await app.close();
  expect(missing).toEqual([]);

  const server = process.env[serverVariable] ?? '';
  const name = `cairn_restored_${randomBytes(8).toString('hex')}`;
  await execute(server, `create database ${name}`);
  const env = { ...settings, DATABASE_URL: withDatabase(server, name), DATA_DIR: folder };
  const config = readConfig({ ...env, MEDIA_URL: 's3://second/copy' });
  const options = { config, extensions: [], newSecret: false, webhooks: true };
  await restore({ ...options, storage: openRestoreStorage(config), source: createReadStream(archive) });
  expect((await requireSameInstallation(config)).media_url).toBe('s3://second/copy');
  const files = (bucket: ReadonlyMap<string, Buffer>, prefix: string): Record<string, Buffer> =>
    Object.fromEntries([...bucket].flatMap(([key, content]) => key.startsWith(`${prefix}/media/`) ? [[key.slice(prefix.length), content]] : []));
  expect(Object.keys(files(buckets[1], 'copy')).length).toBeGreaterThan(2);
  expect(files(buckets[1], 'copy')).toEqual(files(buckets[0], 'media-of-cairn'));
  expect((await readdir(folder)).filter((entry) => entry.startsWith('.restore-'))).toEqual([]);
  const others = [...buckets[1].keys()].filter((key) => !/^copy\/(media|assets|exports|uploads|imports)\//.test(key));
  expect(others).toEqual(['copy/installation.id']);
  await execute(server, `drop database ${name}`);
  await store.close();
  await rm(folder, { recursive: true });
}); // prettier-ignore
