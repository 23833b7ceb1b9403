import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GroupMetrics } from '../core/process-group/group-metrics.js';
import type { Outcome } from '../core/process-group/messages.js';
import { Child } from './child.js';
import type { RequestLimits } from './limits.js';
import { RequestProcesses } from './request-processes.js';

/** Does what the name of its request says, and reports what it has done in a file of that name. */
const PROGRAM = `
  import { appendFileSync, writeFileSync } from 'node:fs';
  import { join } from 'node:path';
  const tell = (name, value) => process.send({ cairn: 'notice', id: 0, name, value });
  const folder = process.argv[1].replace(/[^/\\\\]*$/, '');
  const note = (name, text) => appendFileSync(join(folder, name), text + '\\n');
  const deeds = {
    pid: () => undefined,
    memory: () => { const kept = []; setInterval(() => kept.push(Buffer.alloc(2 ** 24, 1)), 5); return new Promise(() => undefined); },
    abort: () => process.kill(process.pid, 'SIGABRT'),
    frozen: () => { note('frozen', 'begun'); for (;;); },
    crash: () => process.kill(process.pid, 'SIGSEGV'),
    exit: () => process.exit(3),
    endless: () => { note('endless', 'begun'); return new Promise(() => undefined); },
    obedient: () => { note('obedient', 'begun'); return new Promise((resolve) => (obey = resolve)); },
    temporary: () => { writeFileSync(join(process.env.TMPDIR, 'left'), ''); note('temporary', process.env.TMPDIR); process.exit(3); },
  };
  let obey = () => undefined;
  process.on('message', async ({ cairn, id, name, value }) => {
    if (cairn === 'notice' && name === 'abort') { note('orders', value.reason); obey(); }
    if (cairn === 'notice' && name === 'stop') process.exit(0);
    if (cairn !== 'question' || name !== 'execute') return;
    note('pids', String(process.pid));
    await deeds[value.name]();
    process.send({ cairn: 'answer', id, name, value: { kind: 'done', isRecorded: true } });
  });
  process.on('disconnect', () => process.exit(0));
  if (process.env.CAIRN_TEST_FAIL_START === 'yes') process.exit(1);
  setInterval(() => tell('pulse', { memory: process.memoryUsage.rss(), lingers: false }), 100);
  tell('ready', { url: null, administrator: null });`;

const HOUR_MS = 3_600_000;
const USUAL: RequestLimits = {
  memory: 2 ** 30,
  timeMs: HOUR_MS,
  frozenMs: HOUR_MS,
  undoMs: HOUR_MS,
  deafMs: 500,
  stopMs: 500,
};

describe('the processes for background requests', () => {
  let folder: string;
  let program: string;
  let owner: Child;
  let pool: RequestProcesses;
  const errors: unknown[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-request-processes-'));
    program = join(folder, 'program.mjs');
    await writeFile(program, PROGRAM);
  });
  beforeEach(() => {
    owner = Child.start({ program, args: [] });
    pool = poolOf(USUAL);
  });
  afterEach(async () => {
    owner.kill();
    pool.kill();
    await pool.stop();
    await owner.exited;
    errors.length = 0;
    for (const name of ['pids', 'orders', 'frozen', 'endless', 'obedient', 'temporary'])
      await rm(join(folder, name), { force: true });
  });
  afterAll(() => rm(folder, { recursive: true }));

  const poolOf = (limits: RequestLimits): RequestProcesses =>
    new RequestProcesses({
      limits,
      program,
      metrics: new GroupMetrics(),
      log: { error: (fields: unknown) => errors.push(fields) } as never,
      database: () => Promise.resolve(null),
    });
  const execute = (name: string, rowId = 1): Promise<Outcome> => pool.execute({ name, rowId, worker: 'w' }, owner);
  const noted = async (name: string): Promise<string[]> =>
    (await readFile(join(folder, name), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  const begun = async (name: string): Promise<void> => {
    while ((await noted(name)).length === 0) await pause(20);
  };

  it('execute one request after the other', async () => {
    expect(await execute('pid')).toEqual({ kind: 'done', isRecorded: true });
    await execute('pid');
    expect(new Set(await noted('pids')).size).toBe(1);
  });

  it('execute several requests at a time, each in a process of its own', async () => {
    await Promise.all([execute('pid', 1), execute('pid', 2)]);
    expect(new Set(await noted('pids')).size).toBe(2);
  });

  it('are ended when they use too much memory, also outside of the heap', async () => {
    pool = poolOf({ ...USUAL, memory: 300 * 2 ** 20 });
    expect(await execute('memory')).toEqual({ kind: 'ended', cause: 'memory' });
  });

  it('are ended when a request takes too long', async () => {
    pool = poolOf({ ...USUAL, timeMs: 300 });
    expect(await execute('endless')).toEqual({ kind: 'ended', cause: 'time' });
  });

  it('are ended when they stand still', async () => {
    pool = poolOf({ ...USUAL, frozenMs: 1_000 });
    expect(await execute('frozen')).toEqual({ kind: 'ended', cause: 'frozen' });
  });

  it.each([
    ['abort', 'memory'], // as V8 does when its heap is full
    ['crash', 'crashed'],
    ['exit', 'crashed'],
  ])('may end by themselves: %s', async (name, cause) => {
    expect(await execute(name)).toEqual({ kind: 'ended', cause });
    expect(await execute('pid')).toMatchObject({ kind: 'done' });
  });

  it('say which request another program has killed', async () => {
    const outcome = execute('endless');
    await begun('endless');
    process.kill(Number((await noted('pids'))[0]), 'SIGKILL');
    expect(await outcome).toEqual({ kind: 'ended', cause: 'killed' });
  });

  it('pass a cancellation on', async () => {
    const outcome = execute('obedient', 7);
    await begun('obedient');
    pool.abort({ rowId: 6, reason: 'cancelled' });
    pool.abort({ rowId: 7, reason: 'cancelled' });
    expect(await outcome).toEqual({ kind: 'done', isRecorded: true });
    expect(await noted('orders')).toEqual(['cancelled']);
  });

  it('are ended when they do not notice a cancellation', async () => {
    const outcome = execute('frozen');
    await begun('frozen');
    pool.abort({ rowId: 1, reason: 'cancelled' });
    expect(await outcome).toEqual({ kind: 'ended', cause: 'cancelled' });
  });

  it('are ended when they do not stop', async () => {
    const outcome = execute('frozen');
    await begun('frozen');
    await pool.stop();
    expect(await outcome).toEqual({ kind: 'ended', cause: 'stopping' });
    expect(await execute('pid')).toEqual({ kind: 'not started' });
  });

  it('stop when the process ends that has claimed their request', async () => {
    const outcome = execute('obedient');
    await begun('obedient');
    pool.ownerEnded(owner);
    await outcome;
    expect(await noted('orders')).toEqual(['orphaned']);
  });

  it('leave no temporary files', async () => {
    await execute('temporary');
    const [left = ''] = await noted('temporary');
    expect(left).toContain('cairn-media-');
    while (existsSync(left)) await pause(20);
    expect(existsSync(left)).toBe(false);
  });

  it('do not take a request if they cannot start', async () => {
    process.env['CAIRN_TEST_FAIL_START'] = 'yes';
    expect(await execute('pid')).toEqual({ kind: 'not started' });
    delete process.env['CAIRN_TEST_FAIL_START'];
    expect(errors).toEqual([expect.objectContaining({ code: 1 })]);
  });
});
