import { expect, it } from '@jest/globals';
import { readConfig } from '../../config/env.js';
import type { Db } from '../database/db.js';
import type { Logger } from '../logging/logger.js';
import { MediaPlaces } from './media-places.js';

it('the log says at once that files are moved to a place that cannot be reached', async () => {
  const config = readConfig({
    DATA_DIR: '/none',
    MEDIA_S3_ENDPOINT: 'http://127.0.0.1:9',
    MEDIA_S3_ACCESS_KEY_ID: 'key',
    MEDIA_S3_SECRET_ACCESS_KEY: 'secret',
  });
  const recorded = [{ url: '', target: 's3://media/files', writes_target: false }];
  const db = { query: () => Promise.resolve(recorded) } as unknown as Db;
  const logged = new Promise<unknown[]>((resolve) => {
    const log = { error: (...entry: unknown[]) => resolve(entry) } as unknown as Logger;
    void new MediaPlaces(config, db, log).fresh();
  });
  const [fields, text] = await logged;
  expect(fields).toMatchObject({ place: 's3://media/files' });
  expect(text).toMatch(/cannot reach the place of the files.*MEDIA_S3_ settings/);
});
