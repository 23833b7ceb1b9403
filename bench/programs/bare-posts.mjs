// The bare program for webhooks: an undici loop that signs and posts the same bytes, and forgets them.

import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { serveCalls } from '../child.mjs';

/** As many at a time as the server sends. */
const CONNECTIONS = 64;

let pool;

async function run({ url, body, secret, count }) {
  const { origin, pathname } = new URL(url);
  pool ??= new Pool(origin, { connections: CONNECTIONS });
  const bytes = Buffer.from(body);
  let started = 0;
  const lane = async () => {
    while (started < count) {
      started += 1;
      const signature = `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
      const headers = { 'Content-Type': 'application/json', 'X-Signature-256': signature };
      const answer = await pool.request({ method: 'POST', path: pathname, headers, body: bytes });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`The receiver answered ${answer.statusCode}.`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
}

serveCalls({ run });
