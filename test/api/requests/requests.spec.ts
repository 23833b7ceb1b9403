import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DatabaseUnavailable } from '../../../src/core/database/database-client.js';
import { UnitOfWork } from '../../../src/core/database/unit-of-work.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { Actors } from '../../../src/core/access/actors.js';
import {
  BackgroundRequests,
  declareRequestEvents,
  RequestFailure,
  RequestHandlers,
  RequestInterrupted,
  type RequestContext,
  RequestWorker,
} from '../../../src/modules/requests/index.js';
import { RequestRepository } from '../../../src/modules/requests/request.repository.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { until } from '../../support/promises.js';
import { givenTask } from '../../support/given-media.js';
import { rememberRegistries } from '../../support/registries.js';

const HOUR = 3_600_000;
const NOT_FOUND = 'There is no request with specified id';

describe('background requests', () => {
  let app: TestApp;
  let owner: Person;
  let run: (request: RequestContext) => Promise<{ resultId: number } | void>;

  const restoreRegistries = rememberRegistries();
  beforeAll(async () => {
    declareRequestEvents(['test:task']); // the end of the request is an event
    app = await createTestApp();
    owner = await new Given(app).person();
    const handler = { run: (request: RequestContext) => run(request), successTtlMs: HOUR, failureTtlMs: 2 * HOUR };
    app.app.get(RequestHandlers).register('test:task', handler);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await app.close();
    restoreRegistries();
  });

  const worker = (): RequestWorker => app.app.get(RequestWorker);

  async function enqueue(id: string, taskId: number | null = null, person = owner): Promise<void> {
    await app.app.get(UnitOfWork).run(async (tx) => {
      const actor = await app.app.get(Actors).load(tx, person.id, 'http://cairn.example');
      if (actor === null) throw new Error('no actor');
      await app.app
        .get(BackgroundRequests)
        .enqueue(tx, actor, { id, type: 'test:task', target: 'task', taskId, parameters: { a: 1 } });
    });
  }

  const read = async (id: string, person = owner) => person.http.get(`/api/requests/${encodeURIComponent(id)}`);
  const move = (ms: number): void => {
    const at = app.clock.now().getTime() + ms;
    jest.spyOn(app.clock, 'now').mockImplementation(() => new Date(at));
  };

  it('run and report their progress', async () => {
    const seen: unknown[] = [];
    run = async (request) => {
      request.setMessage('half');
      request.setProgress(0.505);
      while ((await read('a=1')).body.progress !== 0.5);
      seen.push((await read('a=1')).body, request.parameters, request.baseUrl);
      return { resultId: 7 };
    };
    await enqueue('a=1');
    expect((await read('a=1')).body).toMatchObject({
      status: 'queued',
      message: '',
      started_date: null,
      expiry_date: null,
    });
    await worker().drain();
    expect(seen).toEqual([
      expect.objectContaining({ status: 'started', message: 'half', progress: 0.5 }),
      { a: 1 },
      'http://cairn.example',
    ]);
    const done = await read('a=1');
    expect(Object.keys(done.body)).toEqual([
      'status', 'message', 'id', 'operation', 'progress', 'created_date', 'started_date', 'finished_date', 'expiry_date', 'owner', 'result_url', 'result_id',
    ]); // prettier-ignore
    expect(done.body).toMatchObject({ status: 'finished', message: '', progress: 0, result_id: 7, result_url: null });
    expect(done.headers['cache-control']).toBe('max-age=0, no-cache, no-store, must-revalidate, private');
  });

  it('fail with a message, which is generic for server errors', async () => {
    run = () => Promise.reject(new RequestFailure('No such thing'));
    await enqueue('b=1');
    await worker().drain();
    expect((await read('b=1')).body).toMatchObject({ status: 'failed', message: 'No such thing\n' });
    run = () => Promise.reject(new Error('secret detail'));
    await enqueue('b=1');
    await worker().drain();
    const { body } = await read('b=1');
    expect(body.status).toBe('failed');
    expect(body.message).not.toContain('secret');
  });

  it('are deleted when they expire', async () => {
    run = () => Promise.resolve();
    await enqueue('c=1');
    await worker().drain();
    move(HOUR + 1000);
    const expired = await read('c=1');
    expect([expired.status, expired.text, expired.headers['content-type']]).toEqual([
      404,
      NOT_FOUND,
      'text/html; charset=utf-8',
    ]);
    await worker().cleanUp();
    expect(await app.db.query(sql`select 1 from background_request where id = 'c=1'`)).toEqual([]);
  });

  it('are taken over when their worker dies, and fail after the third time', async () => {
    await enqueue('d=1');
    const die = (): Promise<unknown> =>
      app.db.query(sql`
        update background_request set status = 'started', attempts = attempts + 1, leased_by = 'dead',
          lease_end = ${new Date(app.clock.now().getTime() + 30_000)} where id = 'd=1'`);
    let runs = 0;
    run = async () => void (runs += 1);
    await die();
    await worker().drain();
    expect([runs, (await read('d=1')).body.status]).toEqual([0, 'started']);
    move(31_000);
    await worker().drain();
    expect([runs, (await read('d=1')).body.status]).toEqual([1, 'finished']);
    await enqueue('d=1');
    for (let attempt = 1; attempt <= 3; attempt++) await die();
    move(31_000);
    await worker().drain();
    expect(runs).toBe(1);
    expect((await read('d=1')).body).toMatchObject({
      status: 'failed',
      message: 'The server or its database stopped 3 times while it worked on this request\n',
    });
  });

  it('are tried again when the database was not available, and fail after the third time', async () => {
    let runs = 0;
    run = async () => {
      runs += 1;
      if (runs !== 3) throw new DatabaseUnavailable(new Error('the database system is starting up'));
    };
    await enqueue('f=1');
    await worker().drain();
    expect([runs, (await read('f=1')).body]).toMatchObject([
      1,
      { status: 'queued', message: 'Waiting for the database' },
    ]);
    for (let attempt = 2; attempt <= 3; attempt++) {
      move(11_000);
      await worker().drain();
    }
    expect([runs, (await read('f=1')).body.status]).toEqual([3, 'finished']);
    await enqueue('f=1');
    for (let attempt = 1; attempt <= 4; attempt++) {
      await worker().drain();
      move(11_000);
    }
    expect([runs, (await read('f=1')).body.status]).toEqual([6, 'failed']);
  });

  describe('interrupted by an outage of the database', () => {
    const lost = new DatabaseUnavailable(new Error('lost'));
    const row = async (id: string) =>
      (
        await app.db.query<{ status: string; leased_by: string | null; attempts: number }>(
          sql`select status, leased_by, attempts from background_request where id = ${id}`,
        )
      )[0];
    afterEach(() => worker().stop());

    it('are released soon after it is back, if this could not be recorded', async () => {
      let runs = 0;
      run = async () => {
        runs += 1;
        if (runs === 1) throw lost;
      };
      const requests = app.app.get(RequestRepository);
      const postponing = jest.spyOn(requests, 'postpone').mockRejectedValueOnce(lost);
      const releasing = jest.spyOn(requests, 'postponeLost').mockRejectedValueOnce(lost);
      await enqueue('o=1');
      worker().start();
      await until(async () => releasing.mock.calls.length > 0);
      await until(async () => (await row('o=1'))?.leased_by === null);
      expect(postponing).toHaveBeenCalledTimes(1);
      expect(await row('o=1')).toEqual({ status: 'queued', leased_by: null, attempts: 1 });
      move(11_000);
      await until(async () => (await row('o=1'))?.status === 'finished');
      expect(runs).toBe(2);
    });

    it('are released if they were claimed, but the connection was lost', async () => {
      let runs = 0;
      run = async () => void (runs += 1);
      const requests = app.app.get(RequestRepository);
      const claim = requests.claim.bind(requests);
      const claimed: unknown[] = [];
      jest.spyOn(requests, 'claim').mockImplementationOnce(async (...values) => {
        claimed.push(await claim(...values));
        throw lost;
      });
      await enqueue('o=2');
      worker().start();
      await until(async () => claimed.length > 0 && (await row('o=2'))?.leased_by === null);
      expect(claimed).toEqual([expect.objectContaining({ id: 'o=2' })]);
      move(11_000);
      await until(async () => (await row('o=2'))?.status === 'finished');
      expect(runs).toBe(1);
    });

    it('are not started again while they run, even if their lease has expired', async () => {
      let runs = 0;
      run = async () => {
        runs += 1;
        expect((await row('o=3'))?.status).toBe('started');
        move(31_000);
        await worker().drain();
      };
      await enqueue('o=3');
      await worker().drain();
      expect([runs, await row('o=3')]).toMatchObject([1, { status: 'finished', attempts: 1 }]);
    });
  });

  it('do not end twice if a worker was only slow', async () => {
    const attempts: Promise<unknown>[] = [];
    run = async (request) => {
      if (attempts.length > 0) return;
      attempts.push(Promise.resolve());
      await app.db.query(sql`
        update background_request set leased_by = 'other', lease_end = ${app.clock.now()} where id = 'e=1'`);
      const late = app.app.get(UnitOfWork).run((tx) => request.finish(tx, { resultId: 1 }));
      attempts.push(expect(late).rejects.toThrow('interrupted'));
      await late;
    };
    await enqueue('e=1');
    await worker().drain();
    expect(attempts).toHaveLength(2);
    await Promise.all(attempts);
    expect((await read('e=1')).body).toMatchObject({ status: 'finished', result_id: null });
  });

  it('write no progress after their attempt ends', async () => {
    const requests = app.app.get(RequestRepository);
    const report = requests.report.bind(requests);
    let written = 0;
    jest.spyOn(requests, 'report').mockImplementationOnce(async (...args) => {
      await pause(50);
      await report(...args);
      written += 1;
    });
    run = (request) => {
      request.setMessage('at it');
      return Promise.reject(new RequestInterrupted('taken over'));
    };
    await enqueue('e=2');
    await worker().drain();
    expect(written).toBe(1);
    await app.db.query(sql`delete from background_request where id = 'e=2'`);
  });

  it('start after they were created and end after that, even if the clock stands still', async () => {
    jest.spyOn(app.clock, 'now').mockReturnValue(app.clock.now());
    run = () => Promise.resolve();
    await enqueue('t=1');
    await worker().drain();
    const rows = await app.db.query(sql`
      select created_date < started_date and started_date < finished_date as sorted from background_request where id = 't=1'`);
    expect(rows).toEqual([{ sorted: true }]);
  });

  it('can be cancelled by their owner or an administrator until they start', async () => {
    const [admin, stranger] = [await new Given(app).admin(), await new Given(app).person()];
    const path = (id: string): string => `/api/requests/${encodeURIComponent(id)}/cancel`;
    run = () => Promise.resolve();
    await enqueue('f=1');
    await stranger.http.post(path('f=1')).expect(403);
    await owner.http.post(path('f=1')).expect(200, '');
    await owner.http.post(path('f=1')).expect(404, NOT_FOUND);
    await enqueue('f=1&user_id=1');
    await admin.http.post(path('f=1&user_id=1')).expect(403);
    await owner.http.post(path('f=1&user_id=1')).expect(200);
    await enqueue('f=1');
    await admin.http.post(path('f=1')).expect(200, '');
    await enqueue('f=1');
    await worker().drain();
    const late = await owner.http.post(path('f=1'));
    expect([late.status, late.text]).toEqual([400, 'Only requests that have not yet been started can be cancelled']);
  });

  it('are visible to whoever can see their target, private ones to their owner', async () => {
    const [admin, stranger] = [await new Given(app).admin(), await new Given(app).person()];
    const task = await givenTask(owner);
    await enqueue('g=1', task);
    await enqueue('g=2&user_id=1', task);
    expect([(await read('g=1', admin)).status, (await read('g=1', stranger)).status]).toEqual([200, 403]);
    expect([(await read('g=2&user_id=1')).status, (await read('g=2&user_id=1', admin)).status]).toEqual([200, 403]);
  });

  it('are listed for their owner', async () => {
    const person = await new Given(app).person();
    run = (request) => (request.id === 'h=2' ? Promise.reject(new RequestFailure('x')) : Promise.resolve());
    const task = await givenTask(person);
    await enqueue('h=1', null, person);
    await enqueue('h=2', task, person);
    await worker().drain();
    await enqueue('h=3', null, person);
    const listed = async (query: string): Promise<string[]> => {
      const { body } = await person.http.get(`/api/requests?sort=created_date&${query}`).expect(200);
      return (body.results as { id: string }[]).map(({ id }) => id);
    };
    expect(await listed('')).toEqual(['h=1', 'h=2', 'h=3']);
    expect(await listed('status=failed')).toEqual(['h=2']);
    expect(await listed(`task_id=${task}`)).toEqual(['h=2']);
    expect(await listed('task_id=x')).toEqual([]);
    expect(await listed('action=test&target=task&org=')).toEqual(['h=1', 'h=2', 'h=3']);
    expect(await listed('action=create')).toEqual([]);
    expect(await listed(`filter=${encodeURIComponent('{"==":[{"var":"status"},"queued"]}')}`)).toEqual(['h=3']);
    expect(await listed(`filter=${encodeURIComponent('{"!=":[{"var":"status"},"queued"]}')}`)).toEqual(['h=1', 'h=2']);
    const not = await person.http.get(`/api/requests?filter=${encodeURIComponent('{"!!":{"var":"status"}}')}`);
    expect([not.status, not.body]).toEqual([400, ["filter: !! operation with {'var': 'status'} arguments is not implemented"]]); // prettier-ignore
    expect((await owner.http.get('/api/requests?status=queued&page_size=all')).body.results).not.toContainEqual(
      expect.objectContaining({ id: 'h=3' }),
    );
  });

  it('are released unfinished when the server stops', async () => {
    const other = await createTestApp();
    try {
      let begun!: () => void;
      const running = new Promise<void>((resolve) => (begun = resolve));
      other.app.get(RequestHandlers).register('slow:task', {
        run: (request) =>
          new Promise((_, reject) => {
            begun();
            request.signal.addEventListener('abort', () => reject(request.signal.reason as Error));
          }),
        successTtlMs: HOUR,
        failureTtlMs: HOUR,
      });
      const person = await new Given(other).person();
      await other.app.get(UnitOfWork).run(async (tx) => {
        const actor = await other.app.get(Actors).load(tx, person.id, '');
        if (actor !== null)
          await other.app
            .get(BackgroundRequests)
            .enqueue(tx, actor, { id: 's=1', type: 'slow:task', target: 'task', parameters: {} });
      });
      other.app.get(RequestWorker).start();
      await running;
      await other.app.get(RequestWorker).stop();
      const [row] = await other.db.query(
        sql`select status, attempts, leased_by, lease_end from background_request where id = 's=1'`,
      );
      expect(row).toEqual({ status: 'queued', attempts: 0, leased_by: null, lease_end: null });
    } finally {
      await other.close();
    }
  });
});
