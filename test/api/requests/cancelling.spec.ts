import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Actors } from '../../../src/core/access/actors.js';
import { UnitOfWork } from '../../../src/core/database/unit-of-work.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { CreationResult } from '../../../src/modules/media/creation/create-task.handler.js';
import {
  BackgroundRequests,
  declareRequestEvents,
  RequestCancelled,
  type RequestContext,
  RequestHandlers,
  RequestWorker,
} from '../../../src/modules/requests/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { tiffOf } from '../../support/documents.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, sendFiles } from '../../support/given-media.js';
import { deferred } from '../../support/promises.js';
import { rememberRegistries } from '../../support/registries.js';

describe('cancelling a running request', () => {
  let app: TestApp;
  let owner: Person;
  let run: (request: RequestContext) => Promise<void>;

  const restoreRegistries = rememberRegistries();
  beforeAll(async () => {
    declareRequestEvents(['stuck:task']);
    app = await createTestApp();
    owner = await new Given(app).person();
    const handler = { run: (request: RequestContext) => run(request), successTtlMs: 60_000, failureTtlMs: 60_000 };
    app.app.get(RequestHandlers).register('stuck:task', handler);
    app.app.get(RequestWorker).start();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await app.close();
    restoreRegistries();
  });

  async function enqueue(id: string): Promise<void> {
    await app.app.get(UnitOfWork).run(async (tx) => {
      const actor = await app.app.get(Actors).load(tx, owner.id, '');
      if (actor === null) throw new Error('no actor');
      const work = { id, type: 'stuck:task', target: 'task', parameters: {} } as const;
      await app.app.get(BackgroundRequests).enqueue(tx, actor, work);
    });
  }

  const path = (id: string): string => `/api/requests/${encodeURIComponent(id)}`;
  const rows = (id: string) => app.db.query(sql`select status, cancelled from background_request where id = ${id}`);

  async function forgotten(id: string): Promise<void> {
    while ((await rows(id)).length > 0) await pause(10);
  }

  /** Runs until it is aborted. @returns promises for the start and for the reason of the abort */
  function untilAborted(): { readonly begun: Promise<void>; readonly aborted: Promise<unknown> } {
    const begun = deferred<void>();
    const aborted = deferred<unknown>();
    run = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted.resolve(signal.reason);
          reject(signal.reason as Error);
        });
        begun.resolve();
      });
    return { begun: begun.promise, aborted: aborted.promise };
  }

  it('stops and removes it', async () => {
    const { begun, aborted } = untilAborted();
    await enqueue('a=1');
    await begun;
    const other = await new Given(app).person();
    await other.http.post(`${path('a=1')}/cancel`).expect(403);
    await owner.http.post(`${path('a=1')}/cancel`).expect(200, '');
    await owner.http.get(path('a=1')).expect(404);
    expect((await owner.http.get('/api/requests')).body.results).toEqual([]);
    expect(await aborted).toBeInstanceOf(RequestCancelled);
    await forgotten('a=1');
    run = () => Promise.resolve();
    await enqueue('a=1');
    while ((await owner.http.get(path('a=1'))).body.status !== 'finished');
    await owner.http.post(`${path('a=1')}/cancel`).expect(400);
  });

  it('stops it even if another process received the call', async () => {
    const { begun, aborted } = untilAborted();
    await enqueue('b=1');
    await begun;
    await app.db.query(sql`update background_request set cancelled = true where id = 'b=1'`);
    expect(await aborted).toBeInstanceOf(RequestCancelled);
    await forgotten('b=1');
  });

  it('does not let it finish or fail afterwards', async () => {
    for (const ends of [() => Promise.resolve(), () => Promise.reject(new Error('x'))]) {
      const goOn = deferred<void>();
      const begun = deferred<void>();
      run = async () => {
        begun.resolve();
        await goOn.promise;
        return ends();
      };
      await enqueue('c=1');
      await begun.promise;
      await owner.http.post(`${path('c=1')}/cancel`).expect(200);
      expect(await rows('c=1')).toEqual([{ status: 'started', cancelled: true }]);
      goOn.resolve();
      await forgotten('c=1');
    }
  });

  it('undoes the work of a worker that died', async () => {
    const reasons: unknown[] = [];
    run = ({ signal }) => Promise.resolve(void reasons.push(signal.reason));
    await app.db.query(sql`
      insert into background_request (id, type, target, status, parameters, owner_id, created_date, started_date, cancelled)
      values ('d=1', 'stuck:task', 'task', 'started', '{}', ${owner.id}, now(), now(), true)`);
    await forgotten('d=1');
    expect(reasons).toEqual([expect.any(RequestCancelled)]);
  });

  it('restores a task to its state before the upload', async () => {
    const id = await givenTask(owner);
    const files = { 'a.tif': await tiffOf([20, 60]) };
    const saving = deferred<void>();
    const goOn = deferred<void>();
    const result = app.app.get(CreationResult);
    const save = result.save.bind(result);
    jest.spyOn(result, 'save').mockImplementationOnce(async (...args) => {
      saving.resolve();
      await goOn.promise;
      await save(...args);
    });
    await sendFiles(owner, id, files).expect(202);
    await saving.promise;
    const request = `action=create&target=task&target_id=${id}`;
    await owner.http.post(`${path(request)}/cancel`).expect(200);
    goOn.resolve();
    await forgotten(request);
    expect((await owner.http.get(`/api/tasks/${id}`)).body).toMatchObject({ size: 0, jobs: { count: 0 } });
    expect(await readdir(join(app.config.dataDir, 'uploads'))).toEqual([]);
    await sendFiles(owner, id, files).expect(202);
    while ((await owner.http.get(path(request))).body.status !== 'finished');
    expect((await owner.http.get(`/api/tasks/${id}`)).body).toMatchObject({ size: 2 });
  });
});
