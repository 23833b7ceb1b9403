import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { raw } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { createTestDatabase, execute, type TestDatabase } from '../../support/database.js';
import { type FreezingProxy, freezingProxy } from '../../support/freezing-proxy.js';
import { Given, type Person } from '../../support/given.js';

describe('database faults', () => {
  let database: TestDatabase;
  let proxy: FreezingProxy;
  let app: TestApp;
  let person: Person;

  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await freezingProxy(database.url);
    const env = { DATABASE_RESPONSE_TIMEOUT_MS: '2000' };
    app = await createTestApp({ database: { ...database, url: proxy.url }, env });
    person = await new Given(app).person();
  });

  afterAll(async () => {
    await app.close();
    await proxy.close();
    await database.drop();
  });

  const create = (name = 'p') => person.http.post('/api/projects').send({ name });

  it('a full disk of the database causes a 507', async () => {
    await execute(
      database.url,
      `create function full_disk() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
      create trigger full_disk before insert on project for each row when (new.name = 'full') execute function full_disk()`,
    );
    const { body } = await create('full').expect(507);
    expect(body).toEqual({ detail: 'The server has no space left to store this.' });
    await create().expect(201);
  });

  it('a lost connection causes a 503 with Retry-After', async () => {
    const statuses = new Map<number, number>();
    for (let round = 0; round < 30; round += 1) {
      const asked = Array.from({ length: 8 }, (_, at) =>
        at % 2 === 0 ? create() : person.http.get('/api/projects?page_size=1'),
      ).map(async (request) => {
        const { status, headers } = await request;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 503) expect(headers['retry-after']).toBe('5');
      });
      await new Promise(setImmediate);
      await execute(
        database.url,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      );
      await Promise.all(asked);
    }
    expect([...statuses.keys()].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
  });

  it('a database that stops responding causes a 503 until it responds again', async () => {
    const isBack = async (): Promise<boolean> => (await person.http.get('/api/projects')).status === 200;
    while (!(await isBack())); // connections that were closed before may be noticed only now
    proxy.freeze();
    for (let round = 0; round < 3; round += 1) {
      const [read, write] = await Promise.all([person.http.get('/api/projects?sort=name'), create()]);
      expect([read.status, write.status, read.headers['retry-after']]).toEqual([503, 503, '5']);
      expect(read.body).toEqual({ detail: 'The database is not available at the moment. Try again shortly.' });
    }
    proxy.thaw();
    while (!(await isBack())) await new Promise(setImmediate);
    await create().expect(201);
  });

  it('a long statement of a responsive database continues', async () => {
    expect(await app.db.query(raw('select 1 as one from pg_sleep(4)'))).toEqual([{ one: 1 }]);
  });

  it('do not include errors of the file system', async () => {
    const uploads = join(app.config.dataDir, 'uploads');
    const { body } = await person.http.post('/api/tasks').send({ name: 't', labels: [{ name: 'car' }] });
    await rm(uploads, { recursive: true });
    await writeFile(uploads, 'a file in the place of the folder');
    const { status } = await person.http.post(`/api/tasks/${body.id}/data`).attach('client_files[0]', Buffer.of(1), 'a.jpg'); // prettier-ignore
    await rm(uploads);
    await mkdir(uploads);
    expect(status).toBe(500);
  });
});
