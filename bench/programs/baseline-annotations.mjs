// The baseline for annotations: COPY of the same rows into a table like the server's, and node:http that returns the
// result of one prepared query. JSON is not parsed or validated, and labels are not looked up.

import { createServer } from 'node:http';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Client, Query } from 'pg';
import { from, to } from 'pg-copy-streams';
import { serveCalls } from '../child.mjs';

const TABLE = 'bench_shape';
const PIECE_LENGTH = 2 ** 16;

/** A row as the JSON of a response. The texts of points and attributes are already JSON. */
const SHAPES = `select '{"id":' || id || ',"label_id":' || label_id || ',"type":"' || type || '","frame":' || frame
    || ',"group":' || coalesce(group_id::text, 'null') || ',"source":"' || source || '","occluded":' || occluded
    || ',"outside":' || outside || ',"z_order":' || z_order || ',"rotation":' || rotation || ',"points":' || points
    || ',"attributes":' || attributes || ',"elements":[]}'
  from annotation_shape where job_id = $1 order by frame, id`;

let client;
let rows = Buffer.alloc(0);

/** @returns the URL that responds to GET `/<job>` with the job's annotations */
async function start({ databaseUrl }) {
  client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`drop table if exists ${TABLE}; create table ${TABLE} (like annotation_shape including all)`);
  const server = createServer((request, response) => {
    read(Number(request.url.slice(1)), response).catch((error) => response.destroy(error));
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

/** Stores the rows that the server wrote for a job, in COPY's format. */
async function take({ job }) {
  rows = await buffer(
    client.query(to(`copy (select * from annotation_shape where job_id = ${job} order by id) to stdout`)),
  );
}

/** Replaces the table's rows with the stored ones, in one transaction. @returns seconds */
async function write() {
  const begin = performance.now();
  await client.query(`begin; delete from ${TABLE}`);
  await pipeline(Readable.from([rows]), client.query(from(`copy ${TABLE} from stdin`)));
  await client.query('commit');
  return (performance.now() - begin) / 1000;
}

async function read(job, response) {
  response.writeHead(200, { 'Content-Type': 'application/vnd.cvat+json' });
  let piece = '{"version":0,"tags":[],"shapes":[';
  let comma = '';
  const query = new Query({ name: 'shapes', text: SHAPES, values: [job], rowMode: 'array' });
  query.on('row', ([text]) => {
    piece += comma + text;
    comma = ',';
    if (piece.length < PIECE_LENGTH) return;
    response.write(piece);
    piece = '';
  });
  const ended = once(query, 'end');
  client.query(query);
  await ended;
  response.end(`${piece}],"tracks":[]}`);
}

serveCalls({ start, take, write });
