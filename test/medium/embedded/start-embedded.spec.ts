import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createScratch, query } from './scratch.js';

const scratch = createScratch();
afterAll(() => scratch.close());
const folder = (name: string) => join(scratch.folder, name);

describe('startEmbedded', () => {
  it('creates a cluster, keeps its data across a restart and exits cleanly', async () => {
    const dataDir = folder('first');
    const first = await scratch.start(dataDir);
    expect(first.version).toMatch(/^18\./);
    await query(first.url, 'create table kept as select 42 as value');
    await first.stop();
    await first.stop();
    expect(existsSync(join(dataDir, 'postgres/cluster/postmaster.pid'))).toBe(false);
    expect(existsSync(join(dataDir, 'postgres/owner.lock'))).toBe(false);

    const second = await scratch.start(dataDir);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select value from kept')).toEqual([{ value: 42 }]);
    const unfinished = readdirSync(join(dataDir, 'postgres')).filter((name) => name.startsWith('initdb-'));
    expect(unfinished).toEqual([]);
    await second.stop();
  });

  it('gives the application a plain role, a UTF-8 database and no TCP port', async () => {
    const { url, stop } = await scratch.start(folder('settings'));
    const [row] = await query(
      url,
      `select rolsuper, pg_encoding_to_char(encoding) as encoding, datlocale, lower('ÄÉ') as lower,
              current_setting('listen_addresses') as tcp, current_setting('synchronous_commit') as durable
       from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
    );
    expect(row).toEqual({
      rolsuper: false,
      encoding: 'UTF8',
      datlocale: 'C.UTF-8',
      lower: 'äé',
      tcp: '',
      durable: 'on',
    });
    const password = join(folder('settings'), 'postgres/password');
    expect(statSync(password).mode & 0o777).toBe(0o600);
    const wrong = url.replace(readFileSync(password, 'utf8').trim(), 'wrong');
    await expect(query(wrong, 'select 1')).rejects.toThrow(/password authentication failed/);
    await stop();
  });

  it.each([
    ['with spaces and signs', 'a folder/ä %20'],
    ['too long for a socket', 'long/'.padEnd(150, 'x')],
    ['with a comma', 'a,b'],
  ])('works in a folder %s, including with TypeORM', async (_, name) => {
    const { url, stop } = await scratch.start(folder(name));
    const source = await new DataSource({ type: 'postgres', url }).initialize();
    expect(await source.query('select current_database() as name')).toEqual([{ name: 'cairn' }]);
    await source.destroy();
    await stop();
    const socketFolder = decodeURIComponent(new URL(url).hostname);
    if (dirname(socketFolder) !== join(folder(name), 'postgres')) expect(existsSync(socketFolder)).toBe(false);
  });

  it('listens on a loopback port on request, the same one each time', async () => {
    const first = await scratch.start(folder('tcp'), { transport: 'tcp' });
    expect(new URL(first.url).hostname).toBe('127.0.0.1');
    expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await first.stop();
    const second = await scratch.start(folder('tcp'), { transport: 'tcp' });
    expect(second.url).toBe(first.url);
    await second.stop();
  });
});

describe('startEmbedded refuses, with one sentence,', () => {
  it('a folder below a file', async () => {
    writeFileSync(folder('file'), '');
    await expect(scratch.start(join(folder('file'), 'x'))).rejects.toThrow(/is a file where a folder is needed/);
  });

  it('an unwritable folder, even as root', async () => {
    await expect(scratch.start('/proc/cairn')).rejects.toMatchObject({
      name: 'EmbeddedPostgresError',
      message: expect.stringContaining('/proc/cairn'),
    });
  });

  it('a link to a missing folder', async () => {
    symlinkSync(folder('unmounted'), folder('link'));
    await expect(scratch.start(folder('link'))).rejects.toMatchObject({
      name: 'EmbeddedPostgresError',
      message: expect.stringContaining(folder('link')),
    });
  });

  it('a cluster of another major version, and leaves it alone', async () => {
    const cluster = join(folder('old'), 'postgres/cluster');
    mkdirSync(cluster, { recursive: true });
    writeFileSync(join(cluster, 'PG_VERSION'), '17\n');
    await expect(scratch.start(folder('old'))).rejects.toThrow(/written by PostgreSQL 17 and this is PostgreSQL 18/);
    expect(readdirSync(cluster)).toEqual(['PG_VERSION']);
  });

  it('a folder with other contents', async () => {
    mkdirSync(join(folder('foreign'), 'postgres/cluster'), { recursive: true });
    await expect(scratch.start(folder('foreign'))).rejects.toThrow(/no PostgreSQL data folder/);
  });

  it('a missing and a wrong password', async () => {
    const { stop } = await scratch.start(folder('password'));
    await stop();
    const file = join(folder('password'), 'postgres/password');
    writeFileSync(file, 'wrong');
    await expect(scratch.start(folder('password'))).rejects.toThrow(/put back the "password" file/);
    expect(existsSync(join(folder('password'), 'postgres/cluster/postmaster.pid'))).toBe(false);
  });

  it('settings that PostgreSQL does not know, quoting its message', async () => {
    const settings = { no_such_setting: 'on' };
    await expect(scratch.start(folder('setting'), { settings })).rejects.toThrow(
      /Starting PostgreSQL failed: .*no_such_setting/,
    );
  });
});
