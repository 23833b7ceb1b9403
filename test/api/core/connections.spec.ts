import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

  /** What the server answers to these bytes until it closes the connection. */
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

  it('with two Host headers are refused', async () => {
    const request = 'GET /api/server/about HTTP/1.1\r\nHost: cairn\r\nhost: other\r\nConnection: close\r\n\r\n';
    const answer = await answerTo(request);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('{"detail":"The request has more than one Host header."}');
    expect(await answerTo(request.replace('host: other\r\n', ''))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('are kept by HTTP/1.1 without a header that says so', async () => {
    const request = 'GET /api/server/about HTTP/1.1\r\nHost: cairn\r\n\r\n';
    const both = await answerTo(request + request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect(both.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
    expect(both.match(/^Connection: .*|^Keep-Alive: .*/gm)).toEqual(['Connection: close']);
  });

  it('are closed for HTTP/1.0, also where it wishes to keep them', async () => {
    const answer = await answerTo('GET /api/server/about HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('\r\nConnection: close\r\n');
  });

  it('keep nothing that has no tag to ask for it again', async () => {
    const list = await owner.http.get('/api/projects').expect(200);
    expect(list.headers['cache-control']).toBe('private, no-store');
    const refused = await app.http.get('/api/projects').expect(401);
    expect(refused.headers['cache-control']).toBe('private, no-store');
    const self = await owner.http.get('/api/users/self').expect(200);
    expect(self.headers['etag']).toBeDefined();
    expect(self.headers['cache-control']).toBeUndefined();
  });
});
