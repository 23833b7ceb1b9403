// A webhook receiver as a user of the server would write it: verify the signature of the raw bytes, then parse them.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const WAIT_MS = 20_000;

/** Whether `header` is the signature of these bytes with `secret`, compared in constant time. */
export function isSignedBy(secret, bytes, header) {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`);
  const given = Buffer.from(header ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * Listens on a free loopback port and stores deliveries.
 *
 * It responds with 200 to a valid signature, and with 403 to any other.
 */
export class WebhookReceiver {
  #secret;
  #server;
  #arrivals = [];
  #waiting = new Set();

  constructor(secret) {
    this.#secret = secret;
    this.#server = createServer((request, response) => {
      this.#take(request, response).catch(() => response.destroy());
    });
  }

  async start() {
    await new Promise((resolve, reject) => this.#server.once('error', reject).listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.#server.address().port}/cairn`;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get arrivals() {
    return [...this.#arrivals];
  }

  /** Waits up to 20 s for a delivery with a matching payload, which may have arrived already. */
  async waitFor(what, fits) {
    const past = this.#arrivals.find(({ payload }) => fits(payload));
    if (past !== undefined) return past;
    return new Promise((resolve, reject) => {
      const waiter = { fits, resolve };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiter);
        reject(
          new Error(
            `No ${what} arrived within ${WAIT_MS / 1000} s. The server must reach this computer's loopback address ` +
              'and be allowed to (WEBHOOK_ALLOW_PRIVATE=true).',
          ),
        );
      }, WAIT_MS);
      waiter.resolve = (arrival) => {
        clearTimeout(timer);
        resolve(arrival);
      };
      this.#waiting.add(waiter);
    });
  }

  async #take(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const signature = request.headers['x-signature-256'];
    const verified = isSignedBy(this.#secret, bytes, signature);
    response
      .writeHead(verified ? 200 : 403, { 'Content-Type': 'text/plain' })
      .end(verified ? 'thank you' : 'bad signature');

    const arrival = { verified, signature, bytes, payload: JSON.parse(bytes.toString('utf8')) };
    this.#arrivals.push(arrival);
    for (const waiter of this.#waiting) {
      if (!waiter.fits(arrival.payload)) continue;
      this.#waiting.delete(waiter);
      waiter.resolve(arrival);
    }
  }
}
