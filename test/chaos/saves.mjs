// Clients that save annotations, leave before half of the responses, and repeat each save with its Idempotency-Key until they
// know the outcome.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { form, image } from './media.mjs';

const CLIENTS = 4;
const REQUEST_MS = 10_000;
/** At most how long after a save its client leaves. */
const LEAVES_MS = 40;
/**
 * A save without a known outcome for this long is stuck. A server needs some seconds to notice that the one before it has
 * died, so during the kills, which take as long as the starts between them, the outcome of a save can stay unknown.
 */
const STUCK_MS = 120_000;
const DATA_MS = 120_000;

/** Every save creates a rectangle at another position. */
const rectangleAt = (number, labelId) => ({
  type: 'rectangle',
  frame: 0,
  label_id: labelId,
  points: [number, 0, number + 10, 10],
});

export class RepeatedSaves {
  /** Numbers of the saves that succeeded. */
  saved = [];
  /** How often a client has left before the response. */
  left = 0;
  /** Saves whose outcome stayed unknown, or that were refused, as sentences. */
  wrong = [];
  running = true;

  constructor(url, headers, random, { jobId, labelId }) {
    this.path = `${url}/api/jobs/${jobId}/annotations`;
    this.headers = headers;
    this.random = random;
    this.labelId = labelId;
    this.done = Promise.all(Array.from({ length: CLIENTS }, (_, client) => this.write(client)));
  }

  /** Creates a job and begins to save. @param {() => number} random from 0 to 1 */
  static async start(url, headers, random) {
    const get = async (path, request) => {
      const answer = await fetch(`${url}/api/${path}`, { headers, ...request });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    };
    const body = JSON.stringify({ name: 'annotated', labels: [{ name: 'car' }] });
    const { id } = await get('tasks', { method: 'POST', body });
    const data = form({ image_quality: 70 }, 'client_files', [await image('frame.png')]);
    const { 'Content-Type': _, ...formHeaders } = headers;
    await get(`tasks/${id}/data/`, { method: 'POST', headers: formHeaders, body: data });
    const deadline = performance.now() + DATA_MS;
    for (;;) {
      const [job] = (await get(`jobs?task_id=${id}`)).results;
      const [label] = (await get(`labels?task_id=${id}`)).results;
      if (job !== undefined) return new RepeatedSaves(url, headers, random, { jobId: job.id, labelId: label.id });
      if (performance.now() > deadline) throw new Error(`Task ${id} has no job.`);
      await pause(100);
    }
  }

  async stop() {
    this.running = false;
    await this.done;
  }

  async write(client) {
    for (let number = client; this.running; number += CLIENTS) {
      const problem = await this.save(number);
      if (problem === undefined) this.saved.push(number);
      else this.wrong.push(`save ${number}: ${problem}`);
    }
  }

  /** @returns why the outcome is not a saved rectangle */
  async save(number) {
    const key = randomUUID();
    let answer = 'no response';
    for (const deadline = performance.now() + STUCK_MS; performance.now() < deadline;) {
      answer = await this.send(number, key, this.random() < 0.5 ? this.random() * LEAVES_MS : REQUEST_MS);
      if (answer === '200' || /^409 .*was lost/.test(answer)) return undefined;
      if (answer.startsWith('4') && !/^409 .*still being processed/.test(answer)) return answer;
      await pause(20);
    }
    return `stuck, ${answer}`;
  }

  /** @returns the status of the response, with the text of an error */
  async send(number, key, patience) {
    const request = {
      method: 'PATCH',
      headers: { ...this.headers, 'Idempotency-Key': key },
      body: JSON.stringify({ shapes: [rectangleAt(number, this.labelId)] }),
      signal: AbortSignal.timeout(Math.ceil(patience)),
    };
    try {
      const answer = await fetch(`${this.path}?action=create`, request);
      const text = await answer.text();
      return answer.ok ? String(answer.status) : `${answer.status} ${text}`;
    } catch (error) {
      if (error.name === 'TimeoutError' && patience < REQUEST_MS) this.left += 1;
      return 'no response';
    }
  }

  /** @returns what is not stored exactly once, as sentences */
  async losses() {
    const { shapes } = await (await fetch(this.path, { headers: this.headers })).json();
    const times = new Map();
    for (const { points } of shapes) times.set(points[0], (times.get(points[0]) ?? 0) + 1);
    const of = (number) => times.get(number) ?? 0;
    return [
      ...this.wrong,
      ...this.saved.filter((number) => of(number) !== 1).map((number) => `save ${number}: stored ${of(number)} times`),
    ];
  }
}
