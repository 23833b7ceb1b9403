import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const KEY_FILE = JSON.stringify({ type: 'service_account', client_email: 'robot@p.example', private_key: KEY });
const SAS = 'sv=2024-01-01&sig=secret-signature';

describe('cloud storages of Google and Azure', () => {
  let app: TestApp;
  let owner: Person;
  let server: Server;
  let url: string;
  let answer: Answer;
  const asked: IncomingMessage[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request);
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    app = await createTestApp({ env: settings() });
    owner = await new Given(app).person();
  });
  afterAll(async () => {
    await app.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const settings = (): Readonly<Record<string, string>> => ({
    GOOGLE_STORAGE_ENDPOINT: url,
    REMOTE_ALLOW_PRIVATE: 'false',
    REMOTE_ALLOW: '127.0.0.1',
  });
  const google = (): object => ({
    provider_type: 'GOOGLE_CLOUD_STORAGE',
    resource: 'photos',
    display_name: 'Photographs',
    credentials_type: 'KEY_FILE_PATH',
    key_file: KEY_FILE,
  });
  const azure = (): object => ({
    provider_type: 'AZURE_CONTAINER',
    resource: 'photos',
    display_name: 'Photographs',
    credentials_type: 'ACCOUNT_NAME_TOKEN_PAIR',
    account_name: 'account',
    session_token: SAS,
    specific_attributes: `endpoint_url=${encodeURIComponent(url)}`,
  });
  const both = [
    ['Google', google, 'resource'],
    ['Azure', azure, 'specific_attributes'],
  ] as const;
  const status =
    (code: number, headers: Readonly<Record<string, string>> = {}): Answer =>
    (_, response) =>
      void response.writeHead(code, headers).end();
  const lists: Answer = ({ url: path = '' }, response) =>
    path.startsWith('/storage/')
      ? response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[]}')
      : response
          .writeHead(200, { 'content-type': 'application/xml' })
          .end('<?xml version="1.0"?><EnumerationResults><Blobs></Blobs><NextMarker/></EnumerationResults>');

  it.each(both)('of %s: problems are explained', async (...[, body]) => {
    const texts: string[] = [];
    for (const code of [403, 401, 404, 418]) {
      answer = status(code);
      texts.push((await owner.http.post('/api/cloudstorages').send(body()).expect(400)).text);
    }
    expect(texts).toEqual([
      'resource: Access to the resource photos denied. Check the credentials and permissions.\n',
      'resource: Access to the resource photos denied. Check the credentials and permissions.\n',
      'resource: The resource photos not found. It may have been deleted.\n',
      expect.stringMatching(/^resource: .* failed: it responded with 418/),
    ]);
  });

  it.each(both)('of %s: a server that does not respond is given up', async (_, body, field) => {
    answer = () => undefined;
    const impatient = await createTestApp({ env: { ...settings(), REMOTE_TIMEOUT_MS: '200' } });
    try {
      const person = await new Given(impatient).person();
      const text = (await person.http.post('/api/cloudstorages').send(body()).expect(400)).text;
      expect(text.split(':')[0]).toBe(field);
      expect(text).toMatch(/ failed: /);
      expect(text).not.toContain('secret-signature');
    } finally {
      await impatient.close();
    }
  });

  it.each<[string, object, RegExp]>([
    [
      'BlobEndpoint=http://10.0.0.1/account;SharedAccessSignature=sv=1&sig=secret-signature',
      {},
      /refused: 10\.0\.0\.1 is a private/,
    ],
    [
      `BlobEndpoint=http://127.0.0.1:9/account;SharedAccessSignature=sv=1&sig=secret-signature`,
      {},
      /refused the connection/,
    ],
    ['BlobEndpoint=nothing', { specific_attributes: 'prefix=a' }, /onnection string/],
  ])('of Azure: problems with the server of the connection string %s name its field', async (text, more, problem) => {
    const body = { ...azure(), account_name: undefined, session_token: undefined, specific_attributes: '', ...more };
    const wanted = { ...body, credentials_type: 'CONNECTION_STRING', connection_string: text };
    const refused = (await owner.http.post('/api/cloudstorages').send(wanted).expect(400)).text;
    expect(refused).toMatch(/^connection_string: /);
    expect(refused).toMatch(problem);
    expect(refused).not.toContain('secret-signature');
  });

  it('do not follow redirects', async () => {
    answer = status(302, { location: 'http://10.0.0.1/' });
    asked.splice(0);
    const { text } = await owner.http.post('/api/cloudstorages').send(azure()).expect(400);
    expect(text).toMatch(/it responded with 302/);
    expect(asked).toHaveLength(1);
  });

  it('of Google: redirects lead to no forbidden address', async () => {
    answer = status(302, { location: 'http://127.0.0.2:9/' });
    const { text } = await owner.http.post('/api/cloudstorages').send(google()).expect(400);
    expect(text).toMatch(/refused: 127\.0\.0\.2 is /);
  });

  it('of Google: the service account signs the tokens itself', async () => {
    answer = lists;
    asked.splice(0);
    await owner.http.post('/api/cloudstorages').send(google()).expect(201);
    const token = asked[0]?.headers.authorization ?? '';
    expect(asked.map(({ url: path = '' }) => path.split('?')[0])).toEqual(['/storage/v1/b/photos/o']);
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(claims).toMatchObject({ iss: 'robot@p.example', scope: expect.stringContaining('devstorage.read_write') });
  });

  it('of Google: the key file is also taken from a form', async () => {
    answer = lists;
    const { key_file: _, ...fields } = google() as Record<string, string>;
    const request = owner.http.post('/api/cloudstorages').attach('key_file', Buffer.from(KEY_FILE), 'key.json');
    for (const [name, value] of Object.entries(fields)) void request.field(name, value);
    const made = await request;
    expect([made.status, made.text]).toEqual([201, expect.not.stringContaining('PRIVATE KEY')]);
    const without = await owner.http.post('/api/cloudstorages').send(fields);
    expect([without.status, without.text]).toEqual([400, 'key_file: KEY_FILE_PATH needs the key file of a service account in key_file.\n']);
    const large = owner.http.post('/api/cloudstorages').attach('key_file', Buffer.alloc(100_000, 'x'), 'key.json');
    expect((await large).status).toBe(413);
  }); // prettier-ignore

  it('do not send credentials to another server, account or provider', async () => {
    answer = lists;
    const { id } = (await owner.http.post('/api/cloudstorages').send(azure()).expect(201)).body as { id: number };
    asked.splice(0);
    for (const change of [
      { specific_attributes: 'endpoint_url=http%3A%2F%2Flocalhost%3A9' },
      { account_name: 'other' },
      { credentials_type: 'CONNECTION_STRING' },
      { provider_type: 'AWS_S3_BUCKET', credentials_type: 'KEY_SECRET_KEY_PAIR' },
    ])
      await owner.http.patch(`/api/cloudstorages/${id}`).send(change).expect(400);
    expect(asked).toEqual([]);
    await owner.http.patch(`/api/cloudstorages/${id}`).send({ resource: 'more-photos' }).expect(200);
    expect(asked[0]?.url).toContain('sig=secret-signature');
  });
});
