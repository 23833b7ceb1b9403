// Writers that upload images and assets, and compare the stored files with what was acknowledged.
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';

const PIECES = 3;
const IMAGES = 2;
const REQUEST_MS = 10_000;
/** How long an interrupted upload waits for a server. */
const RESUME_MS = 30_000;
/** How long the workers may take for all images that were uploaded during the kills. */
const PROCESS_MS = 180_000;

/** @typedef {{name: string, content: Buffer}} File */

export class MediaLoad {
  /** Tasks whose data was acknowledged: `{ taskId, request, files }`. */
  uploads = [];
  /** Content of assets whose upload was acknowledged, by UUID. */
  assets = new Map();
  /** Uploads that got no response: they may be complete or not. */
  unanswered = 0;
  /** Uploads in pieces that continued after an error. */
  resumed = 0;
  /** Uploads in pieces that lost bytes a server had acknowledged. */
  cut = [];
  /** How many uploads ended with three ends of a process while they were worked on. */
  givenUp = 0;
  running = true;

  /** @param {string} token @param {{project: number, guide: number}} ids @param {number} writers */
  constructor(url, token, { project, guide }, writers) {
    this.url = url;
    this.token = token;
    this.project = project;
    this.guide = guide;
    this.writers = writers;
    this.done = Promise.all(Array.from({ length: writers }, (_, index) => this.write(index)));
  }

  async stop() {
    this.running = false;
    await this.done;
  }

  async write(writer) {
    for (let number = 0; this.running; number += 1) {
      const name = `m${writer}-${number}`;
      const task = await this.send('POST', '/api/tasks', { json: { name, project_id: this.project } });
      if (task?.status === 201) {
        const files = await images(name);
        const inPieces = number % 2 === 1;
        const request = await (inPieces
          ? this.uploadPieces(task.json.id, files)
          : this.uploadForm(task.json.id, files));
        if (request === undefined) this.unanswered += 1;
        else this.uploads.push({ taskId: task.json.id, request, files });
      }
      await this.uploadAsset(await image(`${name}.png`));
      await pause(100);
    }
  }

  /** @returns the id of the request that creates the task's data; undefined without a response */
  async uploadForm(taskId, files) {
    const fields = { image_quality: '70' };
    const sent = await this.send('POST', `/api/tasks/${taskId}/data/`, { form: form(fields, 'client_files', files) });
    return sent?.status === 202 ? sent.json.rq_id : undefined;
  }

  async uploadPieces(taskId, files) {
    const path = `/api/tasks/${taskId}/data/`;
    for (const file of files) if (!(await this.uploadFile(path, file))) return undefined;
    const sent = await this.send('POST', path, { json: { image_quality: 70 }, headers: { 'Upload-Finish': 'true' } });
    return sent?.status === 202 ? sent.json.rq_id : undefined;
  }

  /** Uploads one file in pieces, and continues where the server says. @returns whether it is complete */
  async uploadFile(path, { name, content }) {
    const announced = await this.send('POST', path, {
      headers: { 'Upload-Length': String(content.length), 'Upload-Metadata': `filename ${btoa(name)}` },
    });
    if (announced?.status !== 201) return false;
    const location = new URL(announced.headers.get('location')).pathname;
    const size = Math.ceil(content.length / PIECES);
    for (let offset = 0; offset < content.length;) {
      const headers = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(offset) };
      const body = content.subarray(offset, offset + size);
      const sent = await this.send('PATCH', location, { body, headers });
      if (sent?.status === 204) offset += body.length;
      else {
        const stored = await this.offsetOf(
          location,
          offset + body.length === content.length ? content.length : undefined,
        );
        if (stored === undefined) return false;
        if (stored < offset) {
          this.cut.push(`${location}: ${stored} of ${offset} acknowledged bytes`);
          return false;
        }
        offset = stored;
        this.resumed += 1;
      }
    }
    return true;
  }

  /**
   * @param {number | undefined} gone the offset if there is no such upload: it may have become a file of the task
   * @returns undefined if no server responds in time
   */
  async offsetOf(location, gone) {
    for (const deadline = performance.now() + RESUME_MS; performance.now() < deadline;) {
      await pause(50);
      const head = await this.send('HEAD', location);
      if (head?.status === 200) return Number(head.headers.get('upload-offset'));
      if (head?.status === 404 || head?.status === 410) return gone ?? 0;
    }
    return undefined;
  }

  async uploadAsset(file) {
    const sent = await this.send('POST', '/api/assets', { form: form({ guide_id: this.guide }, 'file', [file]) });
    if (sent?.status === 201) this.assets.set(sent.json.uuid, file.content);
  }

  /** @returns undefined if there was no response, or one that says nothing about the result */
  async send(method, path, { json, form: formBody, body, headers = {} } = {}) {
    const type = json === undefined ? {} : { 'Content-Type': 'application/json' };
    const request = {
      method,
      headers: { Authorization: `Token ${this.token}`, 'Tus-Resumable': '1.0.0', ...type, ...headers },
      body: json === undefined ? (formBody ?? body) : JSON.stringify(json),
      signal: AbortSignal.timeout(REQUEST_MS),
    };
    try {
      const answer = await fetch(this.url + path, request);
      const content = Buffer.from(await answer.arrayBuffer());
      if (answer.status >= 500) return undefined;
      const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
      const { status, headers: received } = answer;
      return { status, headers: received, content, json: isJson ? JSON.parse(content.toString()) : undefined };
    } catch {
      return undefined;
    }
  }

  /** Waits for the workers, then reads every acknowledged file. @returns what is lost, as sentences */
  async losses() {
    const lost = this.cut.map((text) => `upload ${text}`);
    const deadline = performance.now() + PROCESS_MS;
    for (const { taskId, request, files } of this.uploads) {
      const state = await this.outcome(request, deadline);
      if (/^failed: The server or its database stopped \d+ times/.test(state)) {
        this.givenUp += 1; // reported to whoever made the request
        continue;
      }
      // A successful request is deleted after some minutes, and a failed one after a year.
      if (state !== 'finished' && state !== 'status 404') {
        lost.push(`task ${taskId}: ${state}`);
        continue;
      }
      for (const [number, { name, content }] of files.entries()) {
        const path = `/api/tasks/${taskId}/data?type=frame&number=${number}&quality=original`;
        const problem = await this.difference(path, content);
        if (problem !== undefined) lost.push(`task ${taskId}, ${name}: ${problem}`);
      }
    }
    for (const [uuid, content] of this.assets) {
      const problem = await this.difference(`/api/assets/${uuid}`, content);
      if (problem !== undefined) lost.push(`asset ${uuid}: ${problem}`);
    }
    return lost;
  }

  /** @returns `finished`, or the last state of the request */
  async outcome(request, deadline) {
    let state = 'no response';
    do {
      const answer = await this.send('GET', `/api/requests/${encodeURIComponent(request)}`);
      if (answer !== undefined) state = answer.json?.status ?? `status ${answer.status}`;
      if (state === 'failed') return `failed: ${answer?.json?.message}`;
      if (state === 'finished' || state === 'status 404') break;
      await pause(100);
    } while (performance.now() < deadline);
    return state;
  }

  async difference(path, content) {
    const answer = await this.send('GET', path);
    if (answer?.status !== 200) return `${answer?.status ?? 'no'} response`;
    return answer.content.equals(content) ? undefined : 'other content';
  }
}

export function form(fields, name, files) {
  const data = new FormData();
  for (const [field, value] of Object.entries(fields)) data.set(field, String(value));
  const isList = name === 'client_files';
  for (const [index, { name: filename, content }] of files.entries())
    data.set(isList ? `${name}[${index}]` : name, new Blob([content]), filename);
  return data;
}

const images = (name) => Promise.all(Array.from({ length: IMAGES }, (_, index) => image(`${name}-${index}.png`)));

/** @returns {Promise<File>} an image of noise, which does not occur twice */
export async function image(name) {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 };
  const content = await sharp({ create: { width: 160, height: 120, channels: 3, background: '#000', noise } })
    .png()
    .toBuffer();
  return { name, content };
}
