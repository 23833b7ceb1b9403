// The baseline for writes: node:http and pg, with statements equivalent to the server's, including the event, in one
// transaction of prepared statements. No login, permissions, or validation. GET returns a constant.

import { createServer } from 'node:http';
import { Pool } from 'pg';
import { serveCalls } from '../child.mjs';
import { statements } from './statements.mjs';

/** The server's default number of connections. */
const POOL_SIZE = 10;
const HELLO = '{"hello":"world"}';

const EVENT = `with written as (
    insert into outbox_event (name, object_id, before, after, occurred_at)
    values ($1, $2, nullif($3, '')::json, $4::json, now()) returning id
  ) insert into outbox_pending (event_id) select id from written`;
const STATUSES = `select task.id, task.status, array(select distinct status from job where task_id = task.id) as of_jobs
  from task where id = (select task_id from job where id = $1)`;

let pool;
let texts;
let owner;

/** Runs `change` in a transaction. @returns the JSON of the response */
async function inTransaction(change) {
  const client = await pool.connect();
  const run = async (name, values) => (await client.query({ name, text: texts[name], values })).rows[0];
  try {
    await client.query('begin');
    const body = await change(run);
    await client.query('commit');
    return body;
  } finally {
    client.release();
  }
}

const patchJob = (id, { state }) =>
  inTransaction(async (run) => {
    const before = await run('lockJob', [id]);
    const { body } = await run('patchJob', [id, state]);
    await run('statuses', [id]);
    await run('event', ['update:job', id, before.body, body]);
    return body;
  });

const addIssue = ({ job, frame, position, message }) =>
  inTransaction(async (run) => {
    await run('lockJob', [job]);
    const { body } = await run('issue', [job, frame, position, owner, message]);
    await run('event', ['create:issue', JSON.parse(body).id, '', body]);
    return body;
  });

const addComment = ({ issue, message }) =>
  inTransaction(async (run) => {
    await run('findIssue', [issue]);
    const { body } = await run('comment', [issue, owner, message]);
    await run('event', ['create:comment', JSON.parse(body).id, '', body]);
    return body;
  });

async function answer({ method, url }, body) {
  if (method === 'GET') return HELLO;
  if (method === 'PATCH') return patchJob(Number(url.slice(url.lastIndexOf('/') + 1)), body);
  return url === '/api/issues' ? addIssue(body) : addComment(body);
}

async function readJson(request) {
  if (request.method === 'GET') return undefined;
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** @returns the URL it listens at */
async function start({ base, databaseUrl, ownerId }) {
  pool = new Pool({ connectionString: databaseUrl, max: POOL_SIZE, options: '-c timezone=UTC' });
  texts = {
    ...statements(base),
    event: EVENT,
    statuses: STATUSES,
    findIssue: 'select * from issue where id = $1 for key share',
  };
  owner = ownerId;
  const server = createServer((request, response) => {
    readJson(request)
      .then((body) => answer(request, body))
      .then(
        (body) => {
          response.writeHead(request.method === 'POST' ? 201 : 200, {
            'Content-Type': 'application/vnd.cvat+json',
            'Content-Length': Buffer.byteLength(body),
          });
          response.end(body);
        },
        (error) => response.writeHead(500).end(error.message),
      );
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

serveCalls({ start });
