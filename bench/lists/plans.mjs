// PostgreSQL's plan for each list query, as text without costs.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join as joinPath } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PEOPLE, titleOf } from './queries.mjs';

const organization = (role) => ({ kind: 'organization', slug: 'org3', id: 3, ownerId: 13, role });

/** As seed.sql creates them. */
const ACTORS = {
  administrator: { id: 1, privilege: 'admin', context: { kind: 'any' } },
  maintainer: { id: 2, privilege: 'user', context: organization('maintainer') },
  person: { id: 3, privilege: 'user', context: { kind: 'any' } },
  worker: { id: 4, privilege: 'worker', context: organization('worker') },
};

/**
 * Writes `test/plans/<list>-<person>.txt`, or with `check` throws if one differs.
 *
 * @param {{cli: string, root: string, queries: {list: string, query: object}[], database: import('pg').Client,
 *   check: boolean}} options
 */
export async function explainLists({ cli, root, queries, database, check }) {
  const lists = await loadLists(dirname(cli));
  await database.query("set timezone = 'UTC'");
  await database.query('begin');
  await analyzeAll(database);
  const changed = [];
  for (const person of Object.keys(PEOPLE)) {
    for (const list of ['tasks', 'jobs']) {
      const sections = [];
      for (const asked of queries.filter((query) => query.list === list)) {
        sections.push(`== ${titleOf(asked)}\n${await explain(lists, database, person, asked)}\n`);
      }
      const file = joinPath(root, 'test', 'plans', `${list}-${person}.txt`);
      const text = sections.join('\n');
      if (check && text !== (await readFile(file, 'utf8').catch(() => ''))) changed.push(file);
      if (check) continue;
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }
  await database.query('rollback');
  if (changed.length > 0)
    throw new Error(`Other plans than in ${changed.join(', ')}; see "npm run plans" and git diff`);
}

/**
 * Collects statistics of every row, until the transaction is rolled back. Statistics of a random sample would make
 * close decisions differ between runs.
 */
async function analyzeAll(database) {
  await database.query('set local default_statistics_target = 3500'); // 300 rows each
  await database.query('analyze app_user, project, media_data, task, job, table_stamp, job_tally');
}

/** The build's lists, without their select lists, which are evaluated only for the rows of one page. */
async function loadLists(dist) {
  const load = (path) => import(pathToFileURL(joinPath(dist, path)).href);
  const [{ ListService }, { taskList }, { jobListOf }, { taskPolicy }, { jobPolicy }, { raw }, { from }] =
    await Promise.all([
      load('core/list/list.service.js'),
      load('modules/tasks/task.list.js'),
      load('modules/jobs/job.list.js'),
      load('shared/policy/task.policy.js'),
      load('shared/policy/job.policy.js'),
      load('engines/sql/sql.js'),
      load('engines/sql/tables.js'),
    ]);
  const withoutStamps = (spec) => ({ ...spec, from: from(spec.rows) });
  return {
    ListService,
    tasks: { spec: withoutStamps(taskList), policy: taskPolicy, select: raw('task.id') },
    jobs: { spec: withoutStamps(jobListOf(0)), policy: jobPolicy, select: raw('job.id') },
  };
}

/** Queries before that of the page: how frequent words are, and how many rows there are. */
const DECIDING = /^select (?:array|case when)/;

const numbered = (row) => (row.list_count === undefined ? row : { ...row, list_count: Number(row.list_count) });

async function explain({ ListService, ...lists }, database, person, { list, query }) {
  const { spec, policy, select } = lists[list];
  const plans = [];
  const db = {
    async query(statement) {
      const { text, values } = statement.compile();
      const { rows } = await database.query(`explain (costs off) ${text}`, values);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      return DECIDING.test(text) ? (await database.query(text, values)).rows.map(numbered) : [];
    },
  };
  const actor = ACTORS[person];
  const organization = actor.context.kind === 'organization' ? { id: actor.context.id } : 'any';
  const options = { select, visible: policy.visible(actor), organization, query, url: '' };
  await new ListService(db)
    .page(spec, options, (row) => row)
    .catch((error) => {
      if (error.status !== 404) throw error; // the explained page has no rows
    });
  return plans.join('\n--\n');
}
