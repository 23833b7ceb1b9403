import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Actors } from '../../../src/core/access/actors.js';
import { UnitOfWork } from '../../../src/core/database/unit-of-work.js';
import { sql } from '../../../src/engines/sql/sql.js';
import {
  BackgroundRequests,
  declareRequestEvents,
  RequestHandlers,
  RequestWorker,
} from '../../../src/modules/requests/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { rememberRegistries } from '../../support/registries.js';

describe('turns of owners', () => {
  let app: TestApp;
  const people: Person[] = [];
  const begun: string[] = [];
  const finish = new Map<string, () => void>();
  let noticed = (): void => undefined;

  const restoreRegistries = rememberRegistries();
  beforeAll(async () => {
    declareRequestEvents(['long:task']);
    app = await createTestApp();
    for (let count = 0; count < 3; count++) people.push(await new Given(app).person());
    app.app.get(RequestHandlers).register('long:task', {
      run: (request) =>
        new Promise((resolve) => {
          finish.set(request.id, () => resolve());
          begun.push(request.id);
          noticed();
        }),
      successTtlMs: 1000,
      failureTtlMs: 1000,
    });
  });
  afterAll(async () => {
    await app.db.query(sql`delete from background_request where status = 'queued'`);
    for (const end of finish.values()) end();
    await app.close();
    restoreRegistries();
  });

  async function enqueue(person: number, id: string): Promise<void> {
    await app.app.get(UnitOfWork).run(async (tx) => {
      const actor = await app.app.get(Actors).load(tx, people[person]?.id ?? 0, '');
      if (actor === null) throw new Error('no actor');
      const work = { id, type: 'long:task', target: 'task', parameters: {} } as const;
      await app.app.get(BackgroundRequests).enqueue(tx, actor, work);
    });
  }

  async function running(count: number): Promise<string[]> {
    while (begun.length < count) await new Promise<void>((resolve) => (noticed = resolve));
    return begun.toSorted();
  }

  it('starts the first request of another owner immediately, however many one owner has', async () => {
    for (let at = 0; at < 20; at++) await enqueue(0, `a=${at}`);
    app.app.get(RequestWorker).start();
    expect(await running(2)).toEqual(['a=0', 'a=1']);
    await enqueue(1, 'b=0');
    await enqueue(1, 'b=1');
    expect(await running(3)).toEqual(['a=0', 'a=1', 'b=0']);
    await enqueue(2, 'c=0');
    expect(await running(4)).toEqual(['a=0', 'a=1', 'b=0', 'c=0']);
    for (const id of ['a=0', 'c=0']) finish.get(id)?.();
    expect(await running(5)).toContain('a=2');
    finish.get('a=1')?.();
    expect(await running(6)).toContain('b=1');
  });

  it('shows a request as started after it was created', async () => {
    const [row] = await app.db.query(sql`
      select bool_and(started_date > created_date) as after from background_request where started_date is not null`);
    expect(row).toEqual({ after: true });
  });
});
