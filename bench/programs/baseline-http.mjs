// The baseline for requests: node:http and pg with one prepared statement per request. No login, permissions,
// validation or events: what the machine achieves with only the essential work.

import { createServer } from 'node:http';
import { Pool } from 'pg';
import { serveCalls } from '../child.mjs';
import { statements } from './statements.mjs';

/** The server's default number of connections. */
const POOL_SIZE = 10;

let pool;
let texts;
let about;
let owner;

/** `name` is prepared once per connection. @returns {Promise<string>} */
async function run(name, values) {
  const { rows } = await pool.query({ name, text: texts[name], values });
  return rows[0]?.body;
}

/** @returns {Promise<string | undefined>} the body; undefined if the object does not exist */
async function answer(base, { method, url }, body) {
  const id = Number(url.slice(url.lastIndexOf('/') + 1));
  if (method === 'GET' && url === '/api/server/about') return about;
  if (method === 'GET' && url === '/api/tasks') return run('tasks', [`${base}/api/tasks?page=2`]);
  if (method === 'GET' && url.startsWith('/api/jobs?')) return run('jobs', [`${base}/api/jobs?page=2&page_size=100`]);
  if (method === 'GET' && url.startsWith('/api/tasks/')) return run('task', [id]);
  if (method === 'PATCH' && url.startsWith('/api/jobs/')) return run('patchJob', [id, body.state]);
  if (method === 'POST' && url === '/api/comments') return run('comment', [body.issue, owner, body.message]);
  if (method === 'POST' && url === '/api/issues')
    return run('issue', [body.job, body.frame, body.position, owner, body.message]);
  return undefined;
}

async function readJson(request) {
  if (request.method === 'GET') return undefined;
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** @returns the URL it listens at */
async function start({ base, databaseUrl, aboutBody, ownerId }) {
  pool = new Pool({ connectionString: databaseUrl, max: POOL_SIZE, options: '-c timezone=UTC' });
  texts = statements(base);
  about = aboutBody;
  owner = ownerId;
  const server = createServer((request, response) => {
    readJson(request)
      .then((body) => answer(base, request, body))
      .then(
        (body) => {
          const bytes = Buffer.from(body ?? '{}');
          const status = body === undefined ? 404 : request.method === 'POST' ? 201 : 200;
          response.writeHead(status, { 'Content-Type': 'application/vnd.cvat+json', 'Content-Length': bytes.length });
          response.end(bytes);
        },
        (error) => response.writeHead(500).end(error.message),
      );
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

serveCalls({ start });
