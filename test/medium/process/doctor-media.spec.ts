import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { checkRecordedMedia } from '../../../src/commands/doctor/media-check.js';
import { readConfig } from '../../../src/config/env.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { createObjectStore, type ObjectStore, STORE_KEY } from '../../support/object-store.js';

describe('before the first start, doctor', () => {
  let database: TestDatabase;
  let client: Client;
  let store: ObjectStore;
  let folder: string;
  const bucket = new Map<string, Buffer>();

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    store = await createObjectStore();
    store.buckets.set('media', bucket);
    folder = await mkdtemp(join(tmpdir(), 'cairn-doctor-'));
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
    await store.close();
    await rm(folder, { recursive: true });
  });

  const findings = async (mediaUrl = ''): Promise<string[]> => {
    const config = readConfig({
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      MEDIA_URL: mediaUrl,
      MEDIA_S3_ENDPOINT: store.url,
      MEDIA_S3_ACCESS_KEY_ID: STORE_KEY.key,
      MEDIA_S3_SECRET_ACCESS_KEY: STORE_KEY.secret_key,
    });
    return (await checkRecordedMedia(client, config)).map(({ state, text }) => `${state} ${text}`);
  };

  it('finds nothing in an empty data folder and an empty bucket', async () => {
    expect(await findings()).toEqual([]);
    expect(await findings('s3://media/files')).toEqual([]);
  });

  it('reports a bucket of another installation', async () => {
    bucket.set('files/installation.id', Buffer.from('another\n'));
    expect(await findings('s3://media/files')).toEqual(['error s3://media/files belongs to another installation']);
    await writeFile(join(folder, 'installation.id'), 'another\n');
    expect(await findings('s3://media/files')).toEqual([]);
  });

  it('reports a data folder that has the files of an installation', async () => {
    await writeFile(join(folder, 'installation.id'), 'another\n');
    expect(await findings()).toEqual([]);
    await mkdir(join(folder, 'media'));
    expect(await findings()).toEqual([`warning ${folder} has the files of an installation, but the database is new`]);
  });
});
