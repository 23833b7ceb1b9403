import { spawn } from 'node:child_process';
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { isServerOf } from '../../../src/core/database/embedded/postmaster-pid.js';
import { createLog, createScratch, query, serverPid } from './scratch.js';

const scratch = createScratch();
afterAll(() => scratch.close());
const folder = (name: string) => join(scratch.folder, name);
// Not kill(pid, 0), which succeeds for a dead process until its parent has reaped it.
const runs = (dataDir: string, pid: number) => isServerOf(join(dataDir, 'postgres/cluster'), pid);

describe('the embedded server', () => {
  it('restarts after it was killed, with all committed data', async () => {
    const log = createLog();
    const server = await scratch.start(folder('killed'), { log });
    await query(server.url, 'create table kept as select 1 as value');
    const before = serverPid(folder('killed'));
    process.kill(before, 'SIGKILL');
    await log.said(/is running again/);
    expect(serverPid(folder('killed'))).not.toBe(before);
    expect(await query(server.url, 'select value from kept')).toEqual([{ value: 1 }]);
    await server.stop();
    expect(log.lines).toHaveLength(2);
  });

  it('is started again if the first attempt fails', async () => {
    const log = createLog();
    const server = await scratch.start(folder('refusing'), { log });
    const cluster = join(folder('refusing'), 'postgres/cluster');
    chmodSync(cluster, 0o777); // PostgreSQL does not start with it
    process.kill(serverPid(folder('refusing')), 'SIGKILL');
    await log.said(/could not be started/);
    chmodSync(cluster, 0o700);
    await log.said(/is running again/);
    expect(await query(server.url, 'select 1 as value')).toEqual([{ value: 1 }]);
    await server.stop();
  });

  it('is not restarted if it exits while this process is stopping', async () => {
    const log = createLog();
    const server = await scratch.start(folder('group'), { log });
    server.detach();
    process.kill(serverPid(folder('group')), 'SIGINT');
    await log.said(/stopped before this process/);
    await server.stop();
    expect(log.lines).toHaveLength(1);
    expect(await query((await scratch.start(folder('group'))).url, 'select 1 as value')).toEqual([{ value: 1 }]);
  });

  it('survives the kill of its Node process and a stale lock', async () => {
    const dataDir = folder('orphan');
    const elsewhere = await scratch.startElsewhere(dataDir);
    await query(elsewhere.url, 'create table kept as select 1 as value');
    const before = serverPid(dataDir);
    await elsewhere.kill();
    const server = await scratch.start(dataDir);
    expect(await runs(dataDir, before)).toBe(false);
    expect(await query(server.url, 'select value from kept')).toEqual([{ value: 1 }]);
    await server.stop();
  });

  it('is stopped first if it outlived its Node process', async () => {
    const dataDir = folder('outlived');
    const elsewhere = await scratch.startElsewhere(dataDir);
    const before = serverPid(dataDir);
    process.kill(before, 'SIGSTOP'); // it cannot react to the death of its parent yet
    await elsewhere.kill();
    const starting = scratch.start(dataDir);
    process.kill(before, 'SIGCONT');
    const server = await starting;
    expect(await runs(dataDir, before)).toBe(false);
    expect(serverPid(dataDir)).not.toBe(before);
    await server.stop();
  });

  it('starts despite a stale pid file whose process id another program has', async () => {
    const dataDir = folder('stale');
    const first = await scratch.start(dataDir);
    await first.stop();
    const cluster = join(dataDir, 'postgres/cluster');
    const stranger = spawn('sleep', ['60']);
    const { uid, gid } = statSync(cluster);
    writeFileSync(join(cluster, 'postmaster.pid'), `${stranger.pid}\n${cluster}\n1700000000\n5432\n\n\n`);
    chownSync(join(cluster, 'postmaster.pid'), uid, gid);
    const second = await scratch.start(dataDir);
    expect(stranger.signalCode).toBeNull();
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.stop();
    stranger.kill();
  });

  it('is shared by a second process, which takes over when the first is killed', async () => {
    const dataDir = folder('shared');
    const elsewhere = await scratch.startElsewhere(dataDir);
    const log = createLog();
    const guest = await scratch.start(dataDir, { log });
    const before = serverPid(dataDir);
    expect(guest.url).toBe(elsewhere.url);
    await elsewhere.kill();
    await log.said(/This process runs it now/);
    expect(serverPid(dataDir)).not.toBe(before);
    expect(await query(guest.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await guest.stop();
  });

  it('is created once if several processes start at once', async () => {
    const starts = await Promise.all([1, 2, 3].map(() => scratch.start(folder('many'))));
    expect(new Set(starts.map(({ url }) => url)).size).toBe(1);
    await Promise.all(starts.map((server) => server.stop()));
  });

  it('keeps running when a guest stops', async () => {
    const owner = await scratch.start(folder('guest'));
    const guest = await scratch.start(folder('guest'));
    await guest.stop();
    expect(await query(owner.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await owner.stop();
  });
});
