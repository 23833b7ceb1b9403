import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Actors } from '../../../src/core/access/actors.js';
import { DatabaseUnavailable } from '../../../src/core/database/database-client.js';
import { UnitOfWork } from '../../../src/core/database/unit-of-work.js';
import type { Assignment, EndCause, Outcome } from '../../../src/core/process-group/messages.js';
import { sql } from '../../../src/engines/sql/sql.js';
import {
  BackgroundRequests,
  declareRequestEvents,
  type RequestContext,
  RequestFailure,
  RequestExecutions,
  RequestHandlers,
  RequestWorker,
} from '../../../src/modules/requests/index.js';
import { RequestRepository } from '../../../src/modules/requests/request.repository.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { rememberRegistries } from '../../support/registries.js';

const TOO_BIG =
  'The import was ended because it needed more than 2 GB of memory. Try it with less data at a time, or ask the administrator to raise REQUEST_MAX_MEMORY.';

/** What happens to the process that executes a request. */
type Fate = EndCause | 'survives' | 'does not start';

describe('a request whose process dies', () => {
  let app: TestApp;
  let owner: Person;
  let fates: Fate[];
  const runs: unknown[] = [];
  const orders: unknown[] = [];
  const handle = async (request: RequestContext): Promise<void> => {
    runs.push(request.signal.reason?.constructor.name ?? 'runs');
    request.signal.throwIfAborted();
    await meanwhile(request);
  };
  let meanwhile: (request: RequestContext) => Promise<void>;

  const restoreRegistries = rememberRegistries();
  beforeAll(async () => {
    declareRequestEvents(['import:test']);
    app = await createTestApp({ env: { REQUEST_MAX_MEMORY: '2G' } });
    owner = await new Given(app).person();
    const handler = { run: handle, successTtlMs: 60_000, failureTtlMs: 60_000 };
    app.app.get(RequestHandlers).register('import:test', handler);
    const supervisor = { ask: execute, tell: (_: string, order: unknown) => orders.push(order) };
    Object.assign(app.app.get(RequestExecutions), { supervisor });
  });
  beforeEach(() => {
    runs.length = 0;
    orders.length = 0;
    meanwhile = () => Promise.resolve();
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(async () => {
    await app.close();
    restoreRegistries();
  });

  async function execute(_: string, { value }: { value: Assignment }): Promise<Outcome> {
    const fate = fates.shift() ?? 'survives';
    if (fate === 'does not start') return { kind: 'not started' };
    if (fate !== 'survives') return { kind: 'ended', cause: fate };
    const execution = await app.app.get(RequestExecutions).adopt(value.rowId, value.worker);
    return { kind: 'done', isRecorded: (await execution?.run()) ?? true };
  }

  /** Queues a request, and works until nothing is pending. */
  async function process(id: string, ...next: Fate[]): Promise<void> {
    fates = next;
    await app.app.get(UnitOfWork).run(async (tx) => {
      const actor = await app.app.get(Actors).load(tx, owner.id, '');
      if (actor === null) throw new Error('no actor');
      const work = { id, type: 'import:test', target: 'task', parameters: {} } as const;
      await app.app.get(BackgroundRequests).enqueue(tx, actor, work);
    });
    await app.app.get(RequestWorker).drain();
  }
  const stateOf = async (id: string) => {
    const { body } = await owner.http.get(`/api/requests/${id}`);
    const { status, message } = body as { status: string; message: string };
    return [status, message.trim()];
  };
  const row = async (id: string) =>
    (await app.db.query(sql`select status, attempts, verdict from background_request where id = ${id}`))[0];

  it('has its work undone, is not tried again, and says so', async () => {
    await process('a=1', 'memory', 'survives');
    expect(await stateOf('a=1')).toEqual(['failed', TOO_BIG]);
    expect(runs).toEqual(['RequestFailure']);
  });

  it('fails even if its work cannot be undone', async () => {
    await process('b=1', 'memory', 'frozen');
    expect(await stateOf('b=1')).toEqual(['failed', TOO_BIG]);
    expect(runs).toEqual([]);
  });

  it('fails with its reason, whatever undoing it says', async () => {
    jest.spyOn(app.app.get(RequestHandlers), 'find').mockReturnValue({
      run: () => Promise.reject(new Error('cannot undo it')),
      successTtlMs: 60_000,
      failureTtlMs: 60_000,
    });
    await process('c=1', 'memory');
    expect(await stateOf('c=1')).toEqual(['failed', TOO_BIG]);
  });

  it('fails even if its handler ignores that it is only to undo its work', async () => {
    jest.spyOn(app.app.get(RequestHandlers), 'find').mockReturnValue({
      run: ({ finish }) => app.app.get(UnitOfWork).run((tx) => finish(tx)),
      successTtlMs: 60_000,
      failureTtlMs: 60_000,
    });
    await process('d=1', 'memory');
    expect(await stateOf('d=1')).toEqual(['failed', TOO_BIG]);
  });

  it('is undone by the next server if this one dies, too', async () => {
    await process('e=1', 'does not start');
    await app.db.query(sql`
      update background_request set status = 'started', lease_end = now() - interval '1 second', attempts = 3, verdict = 'Too big.'
      where id = 'e=1'`);
    fates = [];
    await app.app.get(RequestWorker).drain();
    expect(await stateOf('e=1')).toEqual(['failed', 'Too big.']);
    expect(runs).toEqual(['RequestFailure']);
  });

  it('waits if the process cannot be started, which does not count as an attempt', async () => {
    await process('f=1', 'does not start');
    expect(await row('f=1')).toEqual({ status: 'queued', attempts: 0, verdict: null });
  });

  it('is tried again after a shutdown, which counts as an attempt if the process had to be killed', async () => {
    const release = jest.spyOn(RequestRepository.prototype, 'release').mockResolvedValue();
    await process('g=1', 'stopping');
    expect(release.mock.calls.map(([, , , counts]) => counts)).toEqual([true]);
    await app.db.query(sql`delete from background_request where id = 'g=1'`);
  });

  it('disappears if it was cancelled', async () => {
    await process('h=1', 'does not start');
    await app.db.query(sql`update background_request set lease_end = null, cancelled = true where id = 'h=1'`);
    fates = ['cancelled', 'survives'];
    await app.app.get(RequestWorker).drain();
    expect(await row('h=1')).toBeUndefined();
    expect(runs).toEqual(['RequestCancelled']);
  });

  it('disappears if it was cancelled and cannot be undone', async () => {
    await process('i=1', 'does not start');
    await app.db.query(sql`update background_request set lease_end = null, cancelled = true where id = 'i=1'`);
    fates = ['cancelled', 'cancelled'];
    await app.app.get(RequestWorker).drain();
    expect(await row('i=1')).toBeUndefined();
  });

  it('gets its verdict when the database is available again', async () => {
    const { condemn } = RequestRepository.prototype;
    jest
      .spyOn(RequestRepository.prototype, 'condemn')
      .mockRejectedValueOnce(new DatabaseUnavailable(new Error('down')))
      .mockImplementation(condemn);
    await process('j=1', 'memory');
    expect(await stateOf('j=1')).toEqual(['failed', TOO_BIG]);
  });

  it('leaves no files of its own, but those of others', async () => {
    const folder = join(app.config.dataDir, 'exports');
    await mkdir(folder, { recursive: true });
    await process('k=1', 'does not start');
    const [{ row_id: rowId }] = (await app.db.query(sql`select row_id from background_request where id = 'k=1'`)) as [
      { row_id: number },
    ];
    for (const name of [`request-${rowId}-1-x.zip`, `request-${rowId}-1-x.zip.manifest`, `request-${rowId}0-1-x.zip`])
      await writeFile(join(folder, name), '');
    await app.db.query(sql`update background_request set lease_end = null where id = 'k=1'`);
    fates = ['memory', 'survives'];
    await app.app.get(RequestWorker).drain();
    expect(await readdir(folder)).toEqual([`request-${rowId}0-1-x.zip`]);
  });

  it('is only undone by the handlers of all types, without another look at its data', async () => {
    const handlers = app.app.get(RequestHandlers);
    const reason = new RequestFailure('Too big.');
    const parameters = { path: 'imports/task-1-1/none', name: 'none.zip' };
    const request = { signal: AbortSignal.abort(reason), parameters, hold: () => Promise.resolve() };
    const untouched = new Proxy(request as unknown as RequestContext, {
      get: (target, name) => {
        if (!Object.hasOwn(target, name)) throw new Error(`It reads ${String(name)}`);
        return Reflect.get(target, name) as unknown;
      },
    });
    const outcomes: Record<string, unknown> = {};
    for (const type of handlers.types().filter((each) => each !== 'create:task'))
      outcomes[type] = await Promise.resolve(handlers.find(type)?.run(untouched)).catch((error: unknown) => error);
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome !== reason)).toEqual([]);
  });

  it('is cancelled in its process', async () => {
    const worker = app.app.get(RequestWorker);
    meanwhile = async ({ id }) => {
      await app.db.query(sql`update background_request set cancelled = true where id = ${id}`);
      while (orders.length === 0) await pause(10);
    };
    worker.start();
    await process('l=1', 'survives');
    while ((await row('l=1')) !== undefined) await pause(10);
    expect(orders[0]).toEqual({ rowId: expect.any(Number), reason: 'cancelled' });
  });

  it('is stopped in its process', async () => {
    const worker = app.app.get(RequestWorker);
    meanwhile = async () => {
      while (orders.length === 0) await pause(10);
    };
    const processed = process('m=1', 'survives');
    while (runs.length === 0) await pause(10);
    await worker.stop();
    await processed;
    expect(orders).toEqual([{ rowId: expect.any(Number), reason: 'stopping' }]);
  });
});
