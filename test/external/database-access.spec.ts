import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config/env.js';
import { clientConfig } from '../../src/core/database/client-config.js';
import { DatabaseClient } from '../../src/core/database/database-client.js';
import { migrate } from '../../src/migrate.js';
import { hasUserMessage, startProblem } from '../../src/start-problem.js';
import { execute } from '../support/database.js';
import { doctorOf, startFailure } from './support/cairn.js';
import { certificates } from './support/certificates.js';
import { POSTGRES_PROGRAMS, startPgBouncer, TestPostgres } from './support/postgres.js';
import { describeWith } from './support/programs.js';

describeWith(['openssl', 'pgbouncer', ...POSTGRES_PROGRAMS], 'a database server', () => {
  let server: TestPostgres;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-access-'));
    await certificates(folder);
    server = await TestPostgres.create();
    await server.write('server.crt', await readFile(join(folder, 'server.crt'), 'utf8'));
    await server.write('server.key', await readFile(join(folder, 'server.key'), 'utf8'));
    await server.execute(
      `alter system set ssl_cert_file = '${server.folder}/server.crt'`,
      `alter system set ssl_key_file = '${server.folder}/server.key'`,
      'alter system set ssl = on',
      'select pg_reload_conf()',
      'create role cairn login',
      'create database cairn owner cairn',
    );
  });

  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The version of TLS of a connection; null if it is not encrypted. */
  async function tlsOf(url: string): Promise<string | null> {
    const client = new DatabaseClient(clientConfig(url));
    try {
      await client.connect();
      const { rows } = (await client.query('select version from pg_stat_ssl where pid = pg_backend_pid()')) as {
        rows: { version: string | null }[];
      };
      return rows[0]?.version ?? null;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  const url = (parameters: string, host = 'localhost'): string =>
    `postgres://cairn@${host}:${server.port}/cairn?${parameters}`;
  const trusted = (): string => `sslrootcert=${join(folder, 'ca.crt')}`;

  describe('with TLS', () => {
    it.each([
      ['verify-full', 'localhost'],
      ['verify-ca', '127.0.0.1'],
      ['require', '127.0.0.1'],
    ])('sslmode=%s encrypts and accepts a certificate of a known authority', async (mode, host) => {
      expect(await tlsOf(url(`sslmode=${mode}&${trusted()}`, host))).toBe('TLSv1.3');
    });

    it('sslmode=require alone encrypts, and disable does not', async () => {
      expect(await tlsOf(url('sslmode=require'))).toBe('TLSv1.3');
      expect(await tlsOf(url('sslmode=disable'))).toBeNull();
    });

    it.each([
      ['an unknown authority', () => url('sslmode=verify-full'), 'Set sslrootcert in the URL to the file'],
      [
        'another authority',
        () => url(`sslmode=verify-ca&sslrootcert=${folder}/other.crt`),
        'Set sslrootcert in the URL',
      ],
      ['another host name', () => url(`sslmode=verify-full&${trusted()}`, '127.0.0.1'), 'is for another host name'],
      ['a missing file', () => url('sslmode=verify-full&sslrootcert=/none.crt'), 'The file /none.crt'],
    ])('%s ends the start with what to do', async (_, of, sentence) => {
      const config = readConfig({ DATABASE_URL: of() });
      const problem = await migrate(config).catch((error: unknown) => startProblem(error, config) as Error);
      expect(hasUserMessage(problem)).toBe(true);
      expect(problem).toMatchObject({ message: expect.stringContaining(sentence) });
    });

    it('PgBouncer is verified in the same way', async () => {
      const key = await server.write('bouncer.key', await readFile(join(folder, 'server.key'), 'utf8'));
      const bouncer = await startPgBouncer(server, [
        'client_tls_sslmode = require',
        `client_tls_key_file = ${key}`,
        `client_tls_cert_file = ${server.folder}/server.crt`,
      ]);
      const through = (parameters: string): string => `postgres://cairn@localhost:${bouncer.port}/cairn?${parameters}`;
      try {
        expect(await tlsOf(through(`sslmode=verify-full&${trusted()}`))).toBeNull(); // not from there to the server
        await expect(tlsOf(through('sslmode=verify-full'))).rejects.toThrow(/self.signed certificate|unable to/);
        await expect(tlsOf(through('sslmode=disable'))).rejects.toThrow();
      } finally {
        await bouncer.stop();
      }
    });
  });

  describe('with a role that is not a superuser', () => {
    it('is migrated by the owner of the database', async () => {
      expect(await migrate(readConfig({ DATABASE_URL: url('sslmode=disable') }))).not.toEqual([]);
      const doctor = await doctorOf(folder, { DATABASE_URL: url(`sslmode=verify-full&${trusted()}`) });
      expect(doctor).toMatch(/ok +role +cairn is not a superuser/);
      expect(doctor).toMatch(/ok +encryption +TLSv1.3, sslmode=verify-full/);
    });

    const failing = async (statements: string[], database: string): Promise<unknown> => {
      await server.execute(...statements);
      const options = { databaseUrl: server.url('guest', database), databaseConnectTimeoutMs: 10_000 };
      return migrate(options).catch((error: unknown) => (error as Error).message);
    };

    it('and a schema that it cannot write to is refused with what to do', async () => {
      expect(await failing(['create role guest login', 'create database closed'], 'closed')).toBe(
        'The role guest cannot create tables in the schema public. Make it the owner of the database, or run GRANT CREATE ON SCHEMA public TO guest.',
      );
    });

    it('and another encoding is refused', async () => {
      const create = `create database latin owner guest encoding 'LATIN1' template template0 locale 'C'`;
      expect(await failing([create], 'latin')).toContain('The encoding of the database is LATIN1.');
    });

    it('and a database with tables of another program is refused', async () => {
      await server.execute('create database taken owner guest');
      await execute(server.url('guest', 'taken'), 'create table app_user (id int)');
      expect(await startFailure(folder, { DATABASE_URL: server.url('guest', 'taken') })).toContain(
        'The database has tables of another program (relation "app_user" already exists). Create a database for Cairn',
      );
    });
  });
});
