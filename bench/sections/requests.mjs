// Requests per second of everyday calls, compared with node:http and pg with one prepared statement.

import { startProgram } from '../child.mjs';
import { interleave, line } from '../measure.mjs';
import { difference, shapeDifference } from '../same.mjs';

const CONNECTIONS = 16;
/** Changes rotate over this many objects, so that they do not wait for each other's locks. */
const SPREAD = 64;

/** The measured requests, which are sent in turn. `path` tells whether the server supports them. */
function cases({ tasks, jobs }, issues) {
  const jobsPerTask = jobs.length / tasks.length;
  const some = jobs.filter((_, at) => at % jobsPerTask === 0).slice(0, SPREAD);
  const json = JSON.stringify;
  return [
    { name: 'GET about', requests: [{ method: 'GET', path: '/api/server/about' }] },
    { name: 'GET one task', goal: 0.25, requests: tasks.map((id) => ({ method: 'GET', path: `/api/tasks/${id}` })) },
    { name: 'GET 10 tasks', goal: 0.45, requests: [{ method: 'GET', path: '/api/tasks' }] },
    { name: 'GET 100 jobs', requests: [{ method: 'GET', path: '/api/jobs?page_size=100' }] },
    {
      name: 'PATCH a job',
      requests: ['in progress', 'new'].flatMap((state) =>
        some.map((id) => ({ method: 'PATCH', path: `/api/jobs/${id}`, body: json({ state }) })),
      ),
    },
    {
      name: 'POST an issue',
      requests: some.map((job) => ({
        method: 'POST',
        path: '/api/issues',
        body: json({ job, frame: 0, position: [1.5, 2.5, 3.5, 4.5], message: 'The box is too wide.' }),
      })),
    },
    {
      name: 'POST a comment',
      requests: issues.map((issue) => ({
        method: 'POST',
        path: '/api/comments',
        body: json({ issue, message: 'The box is too wide.' }),
      })),
    },
  ];
}

/** @param {import('../bench.mjs').Run} run */
export async function requests({ api, databaseUrl, seeded, client, plan, say }) {
  const baseline = startProgram('baseline-http');
  try {
    const aboutBody = (await api.call('GET', '/api/server/about')).text;
    const { id: ownerId } = await api.get('/api/users/self');
    const baselineUrl = await baseline.call('start', { base: api.url, databaseUrl, aboutBody, ownerId });
    const issues = (await api.serves('/api/issues')) ? await makeIssues(api, seeded.jobs) : [];
    const lines = [];
    for (const { name, goal, requests: sent } of cases(seeded, issues)) {
      if (sent.length === 0 || !(await api.serves(sent[0].path.split('?')[0]))) {
        say(`${name}: not supported by this server`);
        continue;
      }
      const remark = await compare(api, baselineUrl, sent[0]);
      const rate = (base, seconds) => async () =>
        (await client.call('run', { base, headers: api.headers, requests: sent, connections: CONNECTIONS, seconds }))
          .rate;
      await rate(api.url, plan.warmUpSeconds)();
      await rate(baselineUrl, plan.warmUpSeconds)();
      const numbers = await interleave(
        plan.rounds,
        rate(api.url, plan.roundSeconds),
        rate(baselineUrl, plan.roundSeconds),
      );
      lines.push(line({ name, unit: 'req/s', ...numbers, goal, remark }));
      say(`${name}: ${Math.round(lines.at(-1).cairn)}/s, baseline ${Math.round(lines.at(-1).baseline)}/s`);
    }
    return lines;
  } finally {
    await baseline.stop();
  }
}

async function makeIssues(api, jobs) {
  const made = [];
  for (const job of jobs.slice(0, SPREAD)) {
    const issue = { job, frame: 0, position: [1.5, 2.5, 3.5, 4.5], message: 'Look here.' };
    made.push((await api.post('/api/issues', issue)).id);
  }
  return made;
}

/** Reads must return the same bytes, writes the same keys. @returns a remark where they do not */
async function compare(api, baselineUrl, { method, path, body }) {
  const ours = await api.call(method, path, body === undefined ? undefined : JSON.parse(body));
  const response = await fetch(baselineUrl + path, { method, ...(body === undefined ? {} : { body }) });
  const theirs = { status: response.status, text: await response.text() };
  for (const { status, text } of [ours, theirs])
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text.slice(0, 300)}`);
  const found = method === 'GET' ? difference(ours.text, theirs.text) : shapeDifference(ours.text, theirs.text);
  return found === '' ? '' : `responses differ, ${found}`;
}
