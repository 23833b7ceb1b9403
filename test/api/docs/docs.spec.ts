import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given } from '../../support/given.js';

describe('API documents', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });

  afterAll(() => app.close());

  it.each([
    [undefined, undefined, 'application/vnd.oai.openapi; charset=utf-8', 'yaml'],
    ['*/*', undefined, 'application/vnd.oai.openapi; charset=utf-8', 'yaml'],
    ['application/yaml', undefined, 'application/yaml; charset=utf-8', 'yaml'],
    ['application/vnd.oai.openapi+json', undefined, 'application/vnd.oai.openapi+json', 'json'],
    ['application/json', undefined, 'application/json', 'json'],
    ['*/*', 'json', 'application/vnd.oai.openapi+json', 'json'],
    ['application/json, */*', 'json', 'application/json', 'json'],
    ['*/*', 'yaml', 'application/vnd.oai.openapi; charset=utf-8', 'yaml'],
  ])('serves the document for Accept %s and scheme %s as %s', async (accept, scheme, type, format) => {
    const request = app.http.get('/api/schema/').query(scheme === undefined ? {} : { scheme });
    if (accept !== undefined) void request.set('Accept', accept);
    const answer = await request.buffer(true).parse(asText).expect(200).expect('Content-Type', type);
    expect(answer.headers['content-disposition']).toBe(
      `inline; filename="Cairn REST API _2.2_.${format}"; filename*=UTF-8''Cairn%20REST%20API%20%282.2%29.${format}`,
    );
    const text = String(answer.body);
    const document = (format === 'json' ? JSON.parse(text) : parse(text)) as { paths: object };
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/api/tasks', '/api/schema/']));
  });

  it.each([
    ['application/vnd.cvat+json', '', 406, 'detail: Could not satisfy the request Accept header.\n'],
    ['text/html', '', 406, 'detail: Could not satisfy the request Accept header.\n'],
    ['application/yaml', '?scheme=json', 406, 'detail: Could not satisfy the request Accept header.\n'],
    ['*/*', '?scheme=xml', 404, 'detail: Not found.\n'],
    ['*/*', '?scheme=constructor', 404, 'detail: Not found.\n'],
    ['*/*', '?scheme=json&scheme=yaml', 404, 'detail: Not found.\n'],
  ])('refuses Accept %s with %s by %d in YAML', async (accept, query, status, text) => {
    const answer = await app.http.get(`/api/schema/${query}`).set('Accept', accept).buffer(true).parse(asText);
    expect({ status: answer.status, text: answer.body as string }).toEqual({ status, text });
  });

  it('only has patterns without flags, which mean the same in every language', async () => {
    const answer = await app.http.get('/api/schema/').query({ scheme: 'json' }).buffer(true).parse(asText).expect(200);
    const patterns: string[] = [];
    JSON.parse(String(answer.body), (key, value: unknown) => {
      if (key === 'pattern' && typeof value === 'string') patterns.push(value);
      return value;
    });
    expect(patterns.length).toBeGreaterThan(0);
    expect(patterns.filter((pattern) => /\\p\{/.test(pattern))).toEqual([]);
    const ofEmails = patterns.filter((pattern) => pattern.includes('@(?:'));
    expect(ofEmails.filter((pattern) => !new RegExp(pattern).test('Ann@Example.ORG'))).toEqual([]);
  });

  it.each(['docs', 'swagger'])('shows %s with files of this server alone', async (name) => {
    const page = await app.http.get(`/api/${name}/`).set('Accept', 'text/html').expect(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const addresses = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses).toHaveLength(5);
    for (const address of addresses) {
      const { origin, pathname, search } = new URL(address, `http://own/api/${name}/`);
      expect(origin).toBe('http://own');
      await app.http.get(pathname + search).expect(200);
    }
  });

  it('serves its files with their types, and no others', async () => {
    await app.http.get('/api/docs/assets/viewer.js').expect('Content-Type', /^text\/javascript/);
    await app.http.get('/api/docs/assets/swagger-ui.css').expect('Content-Type', /^text\/css/);
    await app.http.get('/api/docs/assets/package.json').expect(404);
    await app.http.get('/api/docs/assets/..%2fpackage.json').expect(404);
    await app.http.get('/api/docs/assets/__proto__').expect(404);
  });

  it('refuses pages to clients that request JSON', async () => {
    const answer = await app.http.get('/api/docs/').set('Accept', 'application/json').expect(406);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.text).toBe('Could not satisfy the request Accept header.');
  });

  it.each(['/api', '/api/schema', '/api/swagger', '/api/docs', '/api/server/health'])('sends %s on', async (path) => {
    const answer = await app.http.get(`${path}?a=b`).redirects(0).expect(301);
    expect(answer.headers['location']).toBe(`${path}/?a=b`);
    expect(answer.headers['x-request-id']).toBeUndefined();
  });

  it('links to the documents at its root, for authenticated clients', async () => {
    await app.http.get('/api/').expect(401);
    const person = await new Given(app).person();
    const answer = await person.http.get('/api/').expect(200);
    expect((answer.body as { docs: string }).docs).toMatch(/^http.*\/api\/docs\/$/);
  });
});

function asText(answer: unknown, done: (error: Error | null, text: string) => void): void {
  const response = answer as NodeJS.ReadableStream;
  const parts: Buffer[] = [];
  response.on('data', (part: Buffer) => parts.push(part));
  response.on('end', () => done(null, Buffer.concat(parts).toString('utf8')));
}
