import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { GroupMetrics } from '../core/process-group/group-metrics.js';
import { Member } from './member.js';

/** Does what its argument says. */
const PROGRAM = `
  import { writeSync } from 'node:fs';
  const [deed] = process.argv.slice(2);
  const tell = (name, value) => process.send({ cairn: 'notice', id: 0, name, value });
  process.on('message', ({ cairn, name, id, value }) => {
    if (cairn === 'notice' && name === 'stop') process.exit(0);
    if (cairn === 'answer') tell('ready', { url: JSON.stringify(value), administrator: null });
  });
  process.on('disconnect', () => process.exit(0));
  if (deed === 'fails') process.exit(1);
  process.send({ cairn: 'question', id: 1, name: 'database' });
  setInterval(() => tell('pulse', { memory: 0, lingers: false }), 50);
  if (deed === 'freezes') setTimeout(() => {
    writeSync(4, 'GET /frozen');
    for (;;);
  }, 200);`;

describe('a member of a group of processes', () => {
  let folder: string;
  let program: string;
  let member: Member;
  const errors: (readonly [Record<string, unknown>, string])[] = [];
  /** The processes of the member so far. */
  const starts: unknown[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-member-'));
    program = join(folder, 'program.mjs');
    await writeFile(program, PROGRAM);
  });
  afterEach(async () => {
    const stopped = member.stop();
    member.kill();
    await stopped;
    errors.length = 0;
  });
  afterAll(() => rm(folder, { recursive: true }));

  function memberThat(deed: string, frozenMs = 0): Member {
    starts.length = 0;
    member = new Member(
      { name: 'server', args: [deed], flags: [], frozenMs, isFirst: true, program },
      {
        metrics: new GroupMetrics(),
        log: { error: (fields: never, text: string) => errors.push([fields, text]), debug: () => undefined } as never,
        database: () => Promise.resolve('postgres://embedded'),
        welcome: (child) => starts.push(child),
      },
    );
    return member;
  }
  it('gets the database, and is the first to do so', async () => {
    const ready = await memberThat('runs').start();
    expect(JSON.parse(ready?.url ?? '')).toEqual({ embeddedUrl: 'postgres://embedded', isFirst: true });
  });

  it('is not started again if its first start fails', async () => {
    expect(await memberThat('fails').start()).toBeUndefined();
    expect(errors).toEqual([]);
  });

  it('is ended and started again when it stands still, and the log says what it was doing', async () => {
    await memberThat('freezes', 300).start();
    const watch = setInterval(() => member.watch(), 50);
    while (!errors.some(([{ open }]) => String(open) === 'GET /frozen')) await pause(20);
    clearInterval(watch);
    while (starts.length < 2) await pause(20);
    expect(errors[0]).toEqual([
      { process: 'server', seconds: expect.any(Number), open: expect.any(Array) },
      'a process does not react, and is ended',
    ]);
  });

  it('stops when it is told to', async () => {
    await memberThat('runs').start();
    await member.stop();
    expect([starts.length, errors]).toEqual([1, []]);
  });
});
