import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyPause } from '../../../src/core/http/app/cairn-adapter.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

describe('connections and caches', () => {
  let app: TestApp;
  let owner: Person;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });
  afterAll(() => app.close());

  /** What the server sends in response to these bytes until it closes the connection. */
  async function answerTo(text: string): Promise<string> {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (part) => (answer += part.toString()));
    socket.write(text);
    await once(socket, 'close');
    return answer;
  }

  it('with half a request are closed', async () => {
    expect(await answerTo('GET /api/server/about HTTP/1.1\r\nHost: cairn\r\n')).toMatch(/^HTTP\/1\.1 408 /);
  });

  describe('with half a body', () => {
    const usual = bodyPause.ms;
    beforeAll(() => {
      bodyPause.ms = 50;
    });
    afterAll(() => {
      bodyPause.ms = usual;
    });
    const head = (path: string, type: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: cairn\r\nAuthorization: Token ${owner.token}\r\nContent-Type: ${type}\r\n`;

    it.each([
      ['/api/projects', 'application/json', 'Content-Length: 100\r\n\r\n{"name":'],
      ['/api/projects', 'application/json', 'Transfer-Encoding: chunked\r\n\r\n8\r\n{"name":\r\n'],
      ['/api/projects/backup/', 'multipart/form-data; boundary=x', 'Content-Length: 100\r\n\r\n--x\r\nContent-Disp'],
    ])('for %s as %s are closed', async (path, type, rest) => {
      expect(await answerTo(head(path, type) + rest)).toMatch(/^HTTP\/1\.1 408 /);
      expect((await owner.http.get('/api/projects').expect(200)).body.count).toBe(0);
    });

    it('with a slow body are kept while data arrives', async () => {
      bodyPause.ms = 3_000;
      const body = JSON.stringify({ name: 'slow' });
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
      socket.write(
        `${head('/api/projects', 'application/json')}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      let answer = '';
      socket.on('data', (part) => (answer += part.toString()));
      const closed = once(socket, 'close');
      for (const part of body.match(/..?/g) ?? []) {
        await pause(500); // each much shorter than the allowed pause, and longer in total
        socket.write(part);
      }
      await closed;
      expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    });

    it('in large numbers do not block other clients', async () => {
      bodyPause.ms = 200;
      const text = `${head('/api/projects', 'application/json')}Content-Length: 100\r\n\r\n{"name":`;
      const many = Array.from({ length: 300 }, () => answerTo(text));
      await owner.http.get('/api/projects').expect(200);
      const answers = await Promise.all(many);
      expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 408 '))).toEqual([]);
    });
  });

  it('with two Host headers are refused', async () => {
    const request = 'GET /api/server/about HTTP/1.1\r\nHost: cairn\r\nhost: other\r\nConnection: close\r\n\r\n';
    const answer = await answerTo(request);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('{"detail":"The request has more than one Host header."}');
    expect(await answerTo(request.replace('host: other\r\n', ''))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('are kept alive by HTTP/1.1 without a header', async () => {
    const request = 'GET /api/server/about HTTP/1.1\r\nHost: cairn\r\n\r\n';
    const both = await answerTo(request + request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect(both.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
    expect(both.match(/^Connection: .*|^Keep-Alive: .*/gm)).toEqual(['Connection: close']);
  });

  it('are closed for HTTP/1.0, even if the client requests keep-alive', async () => {
    const answer = await answerTo('GET /api/server/about HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('\r\nConnection: close\r\n');
  });

  it('do not let responses without an entity tag be cached', async () => {
    const list = await owner.http.get('/api/projects').expect(200);
    expect(list.headers['cache-control']).toBe('private, no-store');
    const refused = await app.http.get('/api/projects').expect(401);
    expect(refused.headers['cache-control']).toBe('private, no-store');
    const self = await owner.http.get('/api/users/self').expect(200);
    expect(self.headers['etag']).toBeDefined();
    expect(self.headers['cache-control']).toBeUndefined();
  });
});
