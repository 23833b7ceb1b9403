import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startServer } from '../support/command.js';
import { createReceiver, type Receiver } from '../support/receiver.js';
import { doctorOf, type RunningCairn, Session, startCairn, startFailure } from './support/cairn.js';
import { POSTGRES_PROGRAMS, TestPostgres } from './support/postgres.js';
import { describeWith } from './support/programs.js';

/** The load lasts this long before and after the failover. */
const LOAD_MS = process.env['CAIRN_TEST_LONG'] === '1' ? 20_000 : 1_500;
const WRITERS = 4;

describeWith(POSTGRES_PROGRAMS, 'a primary with a synchronous standby', () => {
  let primary: TestPostgres;
  let standby: TestPostgres;
  let folder: string;
  let receiver: Receiver;
  let cairn: RunningCairn;
  let session: Session;
  let env: { DATABASE_URL: string };

  beforeAll(async () => {
    primary = await TestPostgres.create();
    await primary.execute('create role cairn login', 'create database cairn owner cairn');
    standby = await TestPostgres.standbyOf(primary, 'standby');
    await primary.execute(`alter system set synchronous_standby_names = 'standby'`, 'select pg_reload_conf()');
    folder = await mkdtemp(join(tmpdir(), 'cairn-failover-'));
    receiver = await createReceiver();
    env = { DATABASE_URL: `postgres://cairn@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/cairn` };
    cairn = await startCairn(folder, { ...env, WEBHOOK_RETRY_SCHEDULE: '0,1,1,1,1' });
    session = await Session.of(cairn);
    await session.send('POST', '/api/organizations', { slug: 'failover' });
    const webhook = { target_url: receiver.url, type: 'organization', events: ['create:project'] };
    await session.send('POST', '/api/webhooks?org=failover', webhook);
  });

  afterAll(async () => {
    await cairn?.stop();
    await receiver?.close();
    await standby?.stop();
    await primary?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const create = async (name: string): Promise<boolean> => {
    const response = await session.fetch('POST', '/api/projects?org=failover', { name }).catch(() => undefined);
    if (response !== undefined && ![201, 503].includes(response.status)) throw new Error(await response.text());
    return response?.status === 201;
  };
  const isSaved = async (name: string): Promise<boolean> => {
    const query = new URLSearchParams({ org: 'failover', name });
    return (await session.send<{ count: number }>('GET', `/api/projects?${query.toString()}`)).count === 1;
  };
  const untilCreated = async (name: string): Promise<void> => {
    while (!(await create(name))) await wait(20);
  };

  // Unlike in a test, nothing else keeps such a process running while it looks for the primary.
  it('is found by a process of its own', async () => {
    const command = await startServer({ args: ['serve'], folder, env });
    expect(await command.end()).toBe(0);
  });

  it('is left for the standby when it dies, and nothing that was acknowledged is lost', async () => {
    const saved: { readonly name: string; readonly at: number }[] = [];
    const stop = new AbortController();
    const write = async (writer: number): Promise<void> => {
      for (let count = 0; !stop.signal.aborted; count += 1) {
        const name = `${writer}-${count}`;
        if (await create(name)) saved.push({ name, at: performance.now() });
        else await wait(20);
      }
    };
    const load = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    await wait(LOAD_MS);
    while (saved.length === 0) await wait(20);
    const before = saved.length;
    await primary.kill();
    await standby.promote();
    const promoted = performance.now();
    await untilCreated('after');
    const back = saved.find(({ at }) => at > promoted)?.at ?? performance.now();
    await wait(LOAD_MS);
    while (saved.every(({ at }) => at < promoted)) await wait(20);
    stop.abort();
    await Promise.all(load);
    if (process.env['CAIRN_TEST_LONG'] === '1')
      process.stderr.write(
        `${saved.length} writes, ${before} before; back ${Math.round(back - promoted)} ms after the promotion\n`,
      );

    expect(before).toBeGreaterThan(0);
    expect(saved.length).toBeGreaterThan(before);
    for (const { name } of saved) expect([name, await isSaved(name)]).toEqual([name, true]);
    const names = new Set(saved.map(({ name }) => name));
    for (;;) {
      for (const { payload } of receiver.arrivals) names.delete((payload['project'] as { name: string }).name);
      if (names.size === 0) break;
      await wait(50);
    }
  });

  it('is not used when it is started again, because it lacks what was committed since', async () => {
    await primary.start(); // without standby.signal, so it accepts writes
    await primary.execute(`alter system reset synchronous_standby_names`, 'select pg_reload_conf()');
    await standby.execute(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'cairn'`);
    await untilCreated('on the newer timeline');
    expect(await isSaved('after')).toBe(true);
    const other = await startCairn(folder, env);
    try {
      const { count } = await (
        await Session.of(other)
      ).send<{ count: number }>('GET', '/api/projects?name=after&org=failover');
      expect(count).toBe(1);
    } finally {
      await other.stop();
    }
  });

  it('is not used without the newer one', async () => {
    await standby.kill();
    expect(await create('nowhere')).toBe(false);
    expect(await create('nowhere')).toBe(false);
    await standby.start();
    await untilCreated('back on the newer timeline');
    expect(cairn.log()).toContain('lacks what was committed after another server had been promoted');
  });

  it('that becomes read-only is not used until it accepts writes again', async () => {
    await primary.kill();
    await standby.execute('alter system set default_transaction_read_only = on', 'select pg_reload_conf()');
    while (!cairn.log().includes('default_transaction_read_only is on')) {
      await create('until it is read-only');
      await wait(20);
    }
    await standby.execute('alter system reset default_transaction_read_only', 'select pg_reload_conf()');
    await untilCreated('accepts writes again');
  });

  it('is required at the start', async () => {
    const second = await TestPostgres.standbyOf(standby, 'second');
    try {
      const alone = { DATABASE_URL: second.url('cairn', 'cairn') };
      expect(await startFailure(folder, alone)).toContain(
        'accepts no writes: in_hot_standby is on. Use the URL of the primary',
      );
      const both = `postgres://cairn@127.0.0.1:${second.port},127.0.0.1:${standby.port}/cairn`;
      const doctor = await doctorOf(folder, { DATABASE_URL: both });
      expect(doctor).toContain(`127.0.0.1:${second.port} is a standby`);
      expect(doctor).toContain(`127.0.0.1:${standby.port} is the primary`);
      expect(doctor).toMatch(/warning +replication +1 standby, asynchronous/);
    } finally {
      await second.stop();
    }
  });
});
