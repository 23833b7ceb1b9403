import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openTwoClients, type TwoClients } from '../../support/two-clients.js';

const JOBS = 200;

/** Two tasks; each job has a replica, an issue with a comment, an annotation and a revision in its history. */
const SEED = `
  insert into task (name, created_date, updated_date) select 'task', now(), now() from generate_series(1, 2);
  insert into segment (task_id, start_frame, stop_frame, chunks_updated_date)
    select task.id, n, n, now() from task, generate_series(1, ${JOBS}) n;
  insert into job (segment_id, task_id, created_date, updated_date) select id, task_id, now(), now() from segment;
  insert into job (segment_id, task_id, parent_job_id, type, created_date, updated_date)
    select segment_id, task_id, id, 'consensus_replica', now(), now() from job;
  insert into issue (job_id, frame, position) select id, 0, '{1,2}' from job;
  insert into comment (issue_id, created_date, updated_date) select id, now(), now() from issue;
  insert into annotation_tag (job_id, label_id, frame, source, attributes) select id, 1, 0, 'manual', '[]' from job;
  insert into annotation_tag_removed (id, job_id, label_id, frame, source, attributes, removed_id)
    select id, job_id, label_id, frame, source, attributes, 1 from annotation_tag;
  insert into annotation_revision (task_id, action, created_date) select id, 'save', now() from task;
  insert into annotation_revision_part (job_id, revision_id, counts)
    select job.id, revision.id, '{}' from job join annotation_revision revision on revision.task_id = job.task_id;
  insert into annotation_head (job_id, revision_id) select job_id, revision_id from annotation_revision_part;`;

const OF_JOBS = [
  'issue',
  'annotation_tag',
  'annotation_tag_removed',
  'annotation_revision_part',
  'annotation_head',
] as const;

describe('rows that belong to jobs', () => {
  let clients: TwoClients['clients'];
  let close: TwoClients['close'];

  beforeEach(async () => {
    ({ clients, close } = await openTwoClients(SEED));
  });
  afterEach(() => close());

  const run = (text: string): Promise<unknown> => clients[0].query(text);

  async function counts(): Promise<Readonly<Record<string, number>>> {
    const tables = ['segment', 'job', 'comment', ...OF_JOBS];
    const { rows } = await clients[0].query<Record<string, number>>(
      `select ${tables.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(', ')}`,
    );
    return rows[0] ?? {};
  }

  const all = (jobs: number): object =>
    Object.fromEntries(['job', 'comment', ...OF_JOBS].map((table) => [table, jobs]));

  it('exist once for each job', async () => {
    expect(await counts()).toEqual({ segment: 2 * JOBS, ...all(4 * JOBS) });
  });

  it.each([
    ['a task', 'delete from task where id = (select min(id) from task)', JOBS, 2 * JOBS],
    ['all tasks', 'delete from task', 0, 0],
    ['a segment', 'delete from segment where id = (select min(id) from segment)', 2 * JOBS - 1, 4 * JOBS - 2],
    ['a job with a replica', 'delete from job where id = (select min(id) from job)', 2 * JOBS, 4 * JOBS - 2],
    ['a replica', 'delete from job where id = (select max(id) from job)', 2 * JOBS, 4 * JOBS - 1],
    ['nothing', 'delete from segment where id < 0', 2 * JOBS, 4 * JOBS],
  ])('are deleted with %s, and no others are', async (_, deletion, segments, jobs) => {
    await run(deletion);
    expect(await counts()).toEqual({ segment: segments, ...all(jobs) });
  });

  it.each([
    ['an issue of no job', `insert into issue (job_id, frame, position) values (0, 0, '{1,2}')`],
    [
      'a job of no segment',
      'insert into job (segment_id, task_id, created_date, updated_date) select 0, task_id, now(), now() from job limit 1',
    ],
    [
      'a job of no parent',
      `insert into job (segment_id, task_id, parent_job_id, created_date, updated_date)
       select segment_id, task_id, 0, now(), now() from job limit 1`,
    ],
    ['an issue that goes to another job', 'update issue set job_id = 0'],
    ['a job that goes to another segment', 'update job set segment_id = 0'],
    ['a job that gets another parent', 'update job set parent_job_id = id'],
  ])('are refused if they refer to missing rows: %s', async (_, statement) => {
    await expect(run(statement)).rejects.toMatchObject({ code: '23503' });
    expect(await counts()).toEqual({ segment: 2 * JOBS, ...all(4 * JOBS) });
  });

  it('wait for a deletion in progress, and are refused after it', async () => {
    const [, other] = clients;
    await other.query('begin');
    await other.query('delete from job where id = 1');
    const written = run(`insert into issue (job_id, frame, position) values (1, 0, '{1,2}')`);
    const refused = expect(written).rejects.toMatchObject({ code: '23503' });
    await other.query('commit');
    await refused;
  });

  it('are deleted with a job whose deletion had to wait for them', async () => {
    const [, other] = clients;
    await other.query('begin');
    await other.query(`insert into issue (job_id, frame, position) values (1, 0, '{1,2}')`);
    const deleted = run('delete from job where id = 1');
    await other.query('commit');
    await deleted;
    const { rows } = await clients[0].query('select 1 from issue where job_id = 1');
    expect(rows).toEqual([]);
  });
});
