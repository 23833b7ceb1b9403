// How long the lists take with 100,000 tasks and 1,000,000 jobs, for four types of users.
//   npm run bench:lists             medians over HTTP
//   npm run plans [-- --check]      the plans of the same queries as text, in test/plans

import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withLists } from './lists/database.mjs';
import { explainLists } from './lists/plans.mjs';
import { PEOPLE, QUERIES, titleOf } from './lists/queries.mjs';
import { median } from './measure.mjs';
import { machine, writeResults } from './report.mjs';

const ROUNDS = 9;
const ROUNDS_AFTER_WRITE = 3;
const GOAL_MS = 30;

const root = resolve(import.meta.dirname, '..');

function readOptions() {
  const { values } = parseArgs({
    options: {
      cli: { type: 'string' },
      keep: { type: 'string' },
      plans: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      out: { type: 'string' },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(`Usage: npm run bench:lists -- [options]

  --keep FOLDER  use the seeded database in this folder, made when it is not there
  --only TEXT    only queries with this text in their title
  --out FILE     the JSON; by default bench/results/lists-<date>.json
  --cli FILE     measure this build (…/dist/cli.js) instead of this checkout's
  --plans        write the plans to test/plans instead of measuring
  --check        with --plans: compare them instead`);
    process.exit(0);
  }
  return values;
}

function build() {
  const { status } = spawnSync(process.execPath, [join(root, 'tools', 'build.mjs')], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The build failed.');
  return join(root, 'dist', 'cli.js');
}

async function main() {
  const { cli: other, keep, plans, check, out, only } = readOptions();
  const begin = performance.now();
  const say = (text) => console.error(`${((performance.now() - begin) / 1000).toFixed(0).padStart(4)} s  ${text}`);
  const cli = other === undefined ? build() : resolve(other);
  const queries = QUERIES.filter((query) => titleOf(query).includes(only));
  await withLists({ cli, keep: keep === undefined ? undefined : resolve(keep), say }, async (run) => {
    if (plans) return explainLists({ cli, root, queries, database: run.database, check });
    const lines = await measure(run, queries, say);
    const date = new Date().toISOString().replaceAll(':', '-').slice(0, 19);
    const file = resolve(out ?? join(root, 'bench', 'results', `lists-${date}.json`));
    await writeResults(file, { machine: machine(), goalMs: GOAL_MS, lines });
    console.log(
      `${table(lines)}\n\nmilliseconds: best / median / median right after a change of the tables; everything is in ${file}`,
    );
  });
}

/** Each round covers all queries and users in turn, which spreads disturbances. */
async function measure({ url, database, people }, queries, say) {
  const lines = queries.map((query) => ({
    ...query,
    title: titleOf(query),
    warmUp: {},
    again: {},
    afterWrite: {},
    count: {},
  }));
  const rounds = async (kind, count, prepare) => {
    for (let round = 0; round < count; round += 1) {
      for (const line of lines) {
        for (const person of Object.keys(PEOPLE)) {
          await prepare();
          const { milliseconds, rows } = await request(url, people[person], person, line);
          line.count[person] = rows;
          (line[kind][person] ??= []).push(milliseconds);
        }
      }
    }
  };
  await rounds('warmUp', 1, () => undefined);
  say('warm');
  await rounds('again', ROUNDS, () => undefined);
  say('measured; now with a change before each request');
  await rounds('afterWrite', ROUNDS_AFTER_WRITE, async () => {
    await database.query('update job set state = state, updated_date = updated_date where id = 1');
    await database.query('update task set status = status, updated_date = updated_date where id = 1');
  });
  for (const line of lines) {
    line.best = Object.fromEntries(Object.entries(line.again).map(([person, values]) => [person, Math.min(...values)]));
    for (const kind of ['again', 'afterWrite'])
      line[kind] = Object.fromEntries(Object.entries(line[kind]).map(([person, values]) => [person, median(values)]));
    delete line.warmUp;
  }
  return lines;
}

async function request(url, headers, person, { list, query }) {
  const { organization } = PEOPLE[person];
  const asked = new URLSearchParams({ ...query, ...(organization === '' ? {} : { org: organization }) });
  const begin = performance.now();
  const response = await fetch(`${url}/api/${list}?${asked}`, { headers });
  const text = await response.text();
  const milliseconds = performance.now() - begin;
  // Finding out that a page does not exist costs as much.
  if (response.status !== 200 && response.status !== 404)
    throw new Error(`${list} ${asked}: ${response.status} ${text}`);
  return { milliseconds, rows: JSON.parse(text).count ?? null };
}

function table(lines) {
  const people = Object.keys(PEOPLE);
  const cell = (line, person) => {
    const times = [line.best[person], line.again[person], line.afterWrite[person]].map((value) =>
      value.toFixed(value < 10 ? 1 : 0),
    );
    return `${times.join(' / ')}${line.again[person] > GOAL_MS ? ' (!)' : ''}`;
  };
  const head = ['query', 'rows', ...people];
  const rows = lines.map((line) => [
    `\`${line.title}\``,
    String(line.count.administrator),
    ...people.map((person) => cell(line, person)),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const write = (row) => `| ${row.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`;
  return [write(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(write)].join('\n');
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
