import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { ClientBase } from 'pg';
import { StatementSocket } from '../../../src/core/database/database-pool.js';
import { Db } from '../../../src/core/database/db.js';
import { Tx } from '../../../src/core/database/tx.js';
import { UnitOfWork } from '../../../src/core/database/unit-of-work.js';
import type { Discovery } from '../../../src/core/discovery/discovery.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { openTestDataSource, type TestDataSource } from '../../support/data-source.js';

let database: TestDataSource;
let db: Db;

beforeAll(async () => {
  database = await openTestDataSource();
  db = new Db(database.dataSource);
  await db.query(sql`create table note (id int primary key, text text)`);
});
afterAll(() => database.close());
beforeEach(() => db.query(sql`truncate note`));

const insert = (id: number) => sql`insert into note (id) values (${id}) returning id`;
const ids = async () => (await db.query<{ id: number }>(sql`select id from note order by id`)).map(({ id }) => id);
const bytesWritten = (client: ClientBase) =>
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream.bytesWritten;
const inTx = (use: (tx: Tx, client: ClientBase) => Promise<void>) =>
  db.withClient((client) => use(new Tx(client, { now: () => new Date() }), client));

it('runs pipelined statements in the order of the calls', async () => {
  await inTx(async (tx) => {
    const [, seen] = await Promise.all([tx.query(insert(1)), tx.query<{ id: number }>(sql`select id from note`)]);
    expect(seen).toEqual([{ id: 1 }]);
    tx.beforeCommit(() => tx.write(insert(2)));
    await tx.commit();
  });
  expect(await ids()).toEqual([1, 2]);
});

it('rolls everything back if one of several statements fails, and reports the first error', async () => {
  await inTx(async (tx) => {
    const together = Promise.all([tx.query(insert(1)), tx.query(insert(1)), tx.query(insert(2))]);
    await expect(together).rejects.toMatchObject({ code: '23505' });
    await tx.rollback();
    expect(await ids()).toEqual([]);
  });
});

it('rolls everything back if a statement sent with the commit fails', async () => {
  await inTx(async (tx) => {
    await tx.query(insert(1));
    tx.beforeCommit(() => [insert(1), insert(2)].forEach((statement) => tx.write(statement)));
    await expect(tx.commit()).rejects.toMatchObject({ code: '23505' });
  });
  expect(await ids()).toEqual([]);
});

it('sends writes with the commit, in one round trip', async () => {
  await inTx(async (tx, client) => {
    await tx.query(insert(1));
    const sent = bytesWritten(client);
    tx.write(insert(2));
    tx.write(insert(3));
    const committed = tx.commit();
    await new Promise(setImmediate);
    const sentBeforeAnyAnswer = bytesWritten(client) - sent;
    await committed;
    expect(bytesWritten(client) - sent).toBe(sentBeforeAnyAnswer);
  });
  expect(await ids()).toEqual([1, 2, 3]);
});

it('rolls back if a write fails, and reports its error', async () => {
  await inTx(async (tx) => {
    await tx.query(insert(1));
    tx.write(insert(1));
    tx.write(insert(2));
    await expect(tx.commit()).rejects.toMatchObject({ code: '23505' });
  });
  expect(await ids()).toEqual([]);
});

it('knows which write made a later statement fail', async () => {
  await inTx(async (tx) => {
    await tx.query(insert(1));
    tx.write(insert(1));
    const error: unknown = await tx.query(insert(2)).catch((later: unknown) => later);
    expect(error).toMatchObject({ code: '25P02' });
    expect(tx.causeOf(error)).toMatchObject({ code: '23505' });
    await tx.rollback();
  });
});

it('runs a change again if a write was the victim of a deadlock', async () => {
  await db.query(insert(1));
  await db.query(insert(2));
  const work = new UnitOfWork(db, { methods: () => [] } as unknown as Discovery, { now: () => new Date() });
  const set = (id: number, text: string) => sql`update note set text = ${text} where id = ${id}`;
  let meet = (): void => undefined;
  const met = new Promise<void>((resolve) => (meet = resolve));
  let waiting = 0;
  const change = (first: number, second: number) =>
    work.run(async (tx) => {
      await tx.query(set(first, `${first}`));
      waiting += 1;
      if (waiting === 2) meet();
      await met;
      tx.write(set(second, `${first}`));
      await tx.query(sql`select 1`);
    });
  await Promise.all([change(1, 2), change(2, 1)]);
  // At least once; on a busy machine, the second attempt may be a victim as well.
  expect(waiting).toBeGreaterThan(2);
});

it('does not mistake a rollback for a commit', async () => {
  await inTx(async (tx) => {
    const called: string[] = [];
    tx.afterCommit(() => called.push('after commit'));
    await tx.query(insert(1));
    await tx.query(insert(1)).catch(() => undefined);
    await expect(tx.commit()).rejects.toThrow('rolled back');
    expect(called).toEqual([]);
  });
});

it('sends nothing for a transaction without statements', async () => {
  await db.withClient(async (client) => {
    const tx = new Tx(client, { now: () => new Date() });
    await tx.commit();
    expect(client.getTransactionStatus()).toBe('I');
  });
});

it('pipelines again after COPY, even after a failed one', async () => {
  await inTx(async (tx) => {
    tx.write(insert(4));
    tx.write(insert(5));
    await tx.copyIn('note', ['id'], ['1\n']);
    await Promise.all([tx.query(insert(2)), tx.query(insert(3))]);
    await tx.commit();
  });
  await inTx(async (tx, client) => {
    await expect(tx.copyIn('note', ['id'], ['3\n'])).rejects.toMatchObject({ code: '23505' });
    await tx.rollback();
    const next = new Tx(client, { now: () => new Date() });
    expect(await Promise.all([next.query(insert(6)), next.query(insert(7))])).toEqual([[{ id: 6 }], [{ id: 7 }]]);
    await next.rollback();
  });
  expect(await ids()).toEqual([1, 2, 3, 4, 5]);
});

it('sends the statements of one event-loop turn with one system call', async () => {
  const calls: number[] = [];
  const stream = new StatementSocket();
  const writev = stream._writev?.bind(stream);
  stream._writev = (chunks, callback) => {
    calls.push(chunks.length);
    writev?.(chunks, callback);
  };
  const server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stream.connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(stream, 'connect');
  for (const statement of ['begin', 'insert', 'commit']) {
    stream.cork();
    stream.write(statement);
    stream.uncork();
  }
  stream.resume().end();
  await once(stream, 'close');
  expect(calls).toEqual([3]);
  server.close();
});
