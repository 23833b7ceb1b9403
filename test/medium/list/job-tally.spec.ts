import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { counting, wanted } from '../../../src/core/list/list-statement.js';
import { below, mersenneTwister } from '../../../src/engines/media/random.js';
import { and, raw, type Sql, sql } from '../../../src/engines/sql/sql.js';
import { column, table } from '../../../src/engines/sql/tables.js';
import { jobList } from '../../../src/modules/jobs/job.list.js';
import { createTestDatabase, execute, type TestDatabase } from '../../support/database.js';

const STATES = ['new', 'in progress', 'completed', 'rejected'];
const STAGES = ['annotation', 'validation', 'acceptance'];

const seed = `
  insert into app_user (username, password, date_joined) values ('ann', '!', now());
  insert into organization (slug, name, owner_id, created_date, updated_date)
    select 'org' || n, '', 1, now(), now() from generate_series(1, 2) n;
  insert into task (name, organization_id, created_date, updated_date)
    select 'task', nullif(n % 3, 0), now(), now() from generate_series(1, 6) n;
  insert into segment (task_id, start_frame, stop_frame, chunks_updated_date) select id, 0, 9, now() from task;`;

const DAYS = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'];

const BY_KIND = 'select organization_id, type, stage, state';
const KINDS = 'group by organization_id, type, stage, state order by organization_id, type, stage, state';

describe('the tally of jobs', () => {
  let database: TestDatabase;
  let clients: Client[];

  beforeAll(async () => {
    database = await createTestDatabase();
    await execute(database.url, seed);
    clients = Array.from({ length: 3 }, () => new Client({ connectionString: database.url }));
    await Promise.all(clients.map((client) => client.connect()));
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await database.drop();
  });

  async function expectTrue(): Promise<void> {
    const [reader] = clients;
    const counted = await reader?.query(`${BY_KIND}, count(*)::int as jobs from job ${KINDS}`);
    const tallied = await reader?.query(
      `${BY_KIND}, sum(jobs)::int as jobs from job_tally group by 1, 2, 3, 4 having sum(jobs) <> 0 order by 1, 2, 3, 4`,
    );
    expect(tallied?.rows).toEqual(counted?.rows);
  }

  it('counts every change of concurrent writers, and none that is rolled back', async () => {
    const random = mersenneTwister(20_261_121);
    const pick = (items: readonly string[]): string => items[below(items.length, random)] ?? '';
    const change = (): string =>
      pick([
        `insert into job (segment_id, task_id, stage, state, created_date, updated_date)
         select id, task_id, '${pick(STAGES)}', '${pick(STATES)}', now(), now() from segment where id % 2 = ${below(2, random)}`,
        `update job set state = '${pick(STATES)}' where id % 3 = ${below(3, random)}`,
        `update job set stage = '${pick(STAGES)}', state = 'new' where id % 4 = ${below(4, random)}`,
        `update task set organization_id = nullif(${below(3, random)}, 0) where id = ${3 + below(4, random)}`,
        `delete from job where id % 5 = ${below(5, random)}`,
        `delete from job where id < 0`,
      ]);
    for (let round = 0; round < 25; round += 1) {
      for (const client of clients) await client.query('begin');
      // The writers change different jobs, so that they only conflict in the tally.
      const [first, second, third] = clients;
      await first?.query(change());
      await second?.query(
        `insert into job (segment_id, task_id, created_date, updated_date) select 1, 1, now(), now() from generate_series(1, 2)`,
      );
      await third?.query(
        `insert into job (segment_id, task_id, created_date, updated_date) values (2, 2, now(), now())`,
      );
      await first?.query('savepoint s');
      await first?.query(change());
      await first?.query(`rollback to s`);
      for (const client of clients) await client.query(below(4, random) === 0 ? 'rollback' : 'commit');
      await expectTrue();
    }
    await clients[0]?.query('truncate job cascade');
    await expectTrue();
  });

  it.each<[Sql, boolean]>([
    [raw('true'), true],
    [
      and([
        raw('true'),
        sql`${column('job.organization_id')} = ${1}`,
        sql`${column('job.state')} = any(${STATES}::text[])`,
      ]),
      true,
    ],
    [sql`${column('job.organization_id')} is null`, true],
    [sql`${column('job.assignee_id')} = ${1}`, false],
    [sql`(${column('job.state')} = ${'new'} and ${column('task.dimension')} = ${'2d'})`, false],
    [sql`${column('job.state')} = any(array(select ${column('job.state')} from ${table('job')}))`, false],
  ])('counts with the tally if it has the columns (%#)', (where, tallied) => {
    expect(
      counting(
        jobList,
        wanted(jobList, where, []),
      )(0)
        .compile()
        .text.includes('job_tally'),
    ).toBe(tallied);
  });

  it.each<[Sql, boolean]>([
    [sql`${column('job.updated_date')} <= ${DAYS[2]}`, true],
    [sql`${column('job.updated_date')} between ${DAYS[1]} and ${DAYS[2]}`, true],
    [sql`(${column('job.updated_date')} = any(${DAYS.slice(1)})) is not true`, true],
    [sql`${column('job.updated_date')} <= ${null}`, false],
    [sql`${column('job.updated_date')} = any(${[DAYS[1], null]})`, false],
    [sql`(${column('job.updated_date')} > ${DAYS[0]} or ${column('job.assignee_id')} = ${1})`, false],
  ])('counts by what a condition on dates excludes, with the same result (%#)', async (where, leavesOut) => {
    const [client] = clients;
    await client?.query('truncate job cascade');
    for (const [day, date] of DAYS.entries())
      await client?.query(
        `insert into job (segment_id, task_id, state, created_date, updated_date)
           select 1, 1, case when n % 2 = 0 then 'new' else 'completed' end, now(), $1 from generate_series(1, $2::int) n`,
        [date, 10 ** day],
      );
    const found = wanted(jobList, raw('true'), [sql`${column('job.state')} = ${'new'}`, where]);
    const count = counting(jobList, found);
    expect(count(0).compile().text.includes('job_tally')).toBe(leavesOut);
    const plain = sql`select count(*)::int as list_count from job where ${found.where}`.compile();
    const expected = await client?.query(plain.text, plain.values);
    for (const last of [0, 1, 500, 1000]) {
      const { text, values } = count(last).compile();
      const counted = await client?.query<{ list_count: string }>(text, values);
      expect(Number(counted?.rows[0]?.list_count)).toBe(expected?.rows[0]?.list_count);
    }
  });
});
