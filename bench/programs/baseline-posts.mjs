// The baselines for webhooks: loops that sign and post the same bytes without storing anything, with undici or axios.

import { createHmac } from 'node:crypto';
import { Agent } from 'node:http';
import axios from 'axios';
import { Pool } from 'undici';
import { serveCalls } from '../child.mjs';

/** The server's number of concurrent requests. */
const CONNECTIONS = 64;

let pool;

const CLIENTS = {
  async undici(url, bytes, headers) {
    const { origin, pathname } = new URL(url);
    pool ??= new Pool(origin, { connections: CONNECTIONS });
    const answer = await pool.request({ method: 'POST', path: pathname, headers, body: bytes });
    await answer.body.dump();
    return answer.statusCode;
  },
  async axios(url, bytes, headers) {
    const answer = await axios.post(url, bytes, { headers, httpAgent: agent });
    return answer.status;
  },
};
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

async function run({ url, body, secret, count, by = 'undici' }) {
  const bytes = Buffer.from(body);
  const post = CLIENTS[by];
  let started = 0;
  const lane = async () => {
    while (started < count) {
      started += 1;
      const signature = `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
      const headers = { 'Content-Type': 'application/json', 'X-Signature-256': signature };
      const status = await post(url, bytes, headers);
      if (status !== 200) throw new Error(`The receiver answered ${status}.`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
}

serveCalls({ run });
