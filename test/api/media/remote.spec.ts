import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles } from '../../support/given-media.js';
import { imageFile, zipOf } from '../../support/images.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

describe('files downloaded by URL', () => {
  let app: TestApp;
  let owner: Person;
  let server: Server;
  let base: string;
  let asked: string[] = [];
  const answers = new Map<string, Answer>();

  const gives = (path: string, content: Buffer): void =>
    void answers.set(path, (_, response) => response.writeHead(200, { 'Content-Length': content.length }).end(content));
  const redirects = (path: string, location: string): void =>
    void answers.set(path, (_, response) => response.writeHead(302, { Location: location }).end());

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.url} ${request.headers.authorization ?? ''}`.trim());
      const answer = answers.get((request.url ?? '').split('?')[0] ?? '');
      if (answer === undefined) response.writeHead(404).end('no such file');
      else answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    gives('/a.jpg', await imageFile());
    gives('/deep/b%20c.png', await imageFile({ format: 'png' }));
    gives('/pack.zip', await zipOf({ 'in/1.jpg': await imageFile(), 'in/2.jpg': await imageFile() }));
    gives('/large.jpg', Buffer.alloc(300_000));
    answers.set('/endless.jpg', (_, response) => {
      response.writeHead(200);
      const pour = (): void => void (response.destroyed || (response.write(Buffer.alloc(50_000)), setImmediate(pour)));
      pour();
    });
    answers.set('/silent.jpg', () => undefined);
    answers.set('/pausing.jpg', (_, response) => void response.writeHead(200).write('x'));
    answers.set('/short.jpg', (_, response) => {
      response.writeHead(200, { 'Content-Length': 1000 }).write('x');
      setImmediate(() => response.destroy());
    });
    const encoded = (path: string, coding: string, content: Buffer): void =>
      void answers.set(path, (_, response) => response.writeHead(200, { 'Content-Encoding': coding }).end(content));
    encoded('/gzip.jpg', 'gzip', gzipSync(await imageFile()));
    encoded('/brotli.jpg', 'br', brotliCompressSync(await imageFile()));
    encoded('/bomb.jpg', 'gzip', gzipSync(Buffer.alloc(300_000)));
    encoded('/no-gzip.jpg', 'gzip', await imageFile());
    encoded('/zstd.jpg', 'zstd', await imageFile());
    redirects('/moved.jpg', '/a.jpg');
    redirects('/round.jpg', '/round.jpg');
    redirects('/file.jpg', 'file:///etc/passwd');
    redirects('/inside.jpg', 'http://169.254.169.254/latest/meta-data');
    redirects('/elsewhere.jpg', `${base.replace('127.0.0.1', '127.0.0.2')}/a.jpg`);
    app = await createTestApp({ env: { MAX_UPLOAD_BYTES: '200000' } });
    owner = await new Given(app).person();
  });

  afterAll(async () => {
    await app.close();
    server.closeAllConnections();
    server.close();
  });

  const made = async (files: readonly string[], of = { app, owner }): Promise<{ names: string[]; message: string }> => {
    asked = [];
    const id = await givenTask(of.owner);
    const body = { image_quality: 70, remote_files: files };
    await of.owner.http.post(`/api/tasks/${id}/data/`).send(body).expect(202);
    const request = await processed(of.app, of.owner, id);
    const meta = await of.owner.http.get(`/api/tasks/${id}/data/meta`);
    const names = ((meta.body as { frames?: { name: string }[] }).frames ?? []).map(({ name }) => name);
    if (names.length > 0) await of.owner.http.get(`/api/tasks/${id}/data?type=frame&number=0`).expect(200);
    return { names, message: request.body.message };
  };

  it('are named after the end of their URL', async () => {
    expect(await made([`${base}/a.jpg?size=1`, `${base}/deep/b%20c.png`])).toEqual({
      names: ['a.jpg', 'b c.png'],
      message: '',
    });
    expect(await made([`${base}/pack.zip`])).toEqual({ names: ['in/1.jpg', 'in/2.jpg'], message: '' });
    expect(await made([`${base}/moved.jpg`])).toEqual({ names: ['moved.jpg'], message: '' });
    const folders = await readdir(join(app.config.dataDir, 'media'));
    for (const folder of folders)
      expect(await readdir(join(app.config.dataDir, 'media', folder))).not.toContain('incoming');
  });

  it('are decoded', async () => {
    expect((await made([`${base}/gzip.jpg`, `${base}/brotli.jpg`])).names).toEqual(['brotli.jpg', 'gzip.jpg']);
  });

  it.each([
    ['bomb.jpg', 'it is larger than 200000 bytes'],
    ['no-gzip.jpg', 'its content is not encoded as gzip, as it says'],
    ['zstd.jpg', 'it is encoded as zstd, which cannot be decoded'],
  ])('are refused as they are encoded: %s', async (name, reason) => {
    expect((await made([`${base}/${name}`])).message).toBe(`Cannot download ${base}/${name}: ${reason}\n`);
  });

  it('can be combined with other files', async () => {
    const id = await givenTask(owner);
    const parameters = { 'remote_files[0]': `${base}/a.jpg` };
    await sendFiles(owner, id, { 'own.jpg': await imageFile() }, parameters).expect(202);
    expect((await processed(app, owner, id)).body).toMatchObject({ status: 'finished' });
    const same = await givenTask(owner);
    await sendFiles(owner, same, { 'a.jpg': await imageFile() }, parameters).expect(202);
    const { body } = await processed(app, owner, same);
    expect(body.message).toBe("ValueError: There are two files with the name 'a.jpg'\n");
  });

  it('send a name and password only to their own host, and do not show them', async () => {
    const withName = base.replace('http://', 'http://anna:s%3Acret@');
    await made([`${withName}/a.jpg`]);
    expect(asked).toEqual([`/a.jpg Basic ${Buffer.from('anna:s:cret').toString('base64')}`]);
    await made([`${withName}/elsewhere.jpg`]);
    expect(asked.at(-1)).not.toContain('/a.jpg Basic');
    const { message } = await made([`${withName}/gone.jpg?token=abc`]);
    expect(message).toBe(
      `Cannot download ${base.replace('http://', 'http://***@')}/gone.jpg?***: the server responded with 404\n`,
    );
  });

  it('store no name, password or key in the database, while the request is pending and afterwards', async () => {
    const rowsWith = async (text: string): Promise<unknown[]> =>
      app.db.query(sql`select row_id from background_request where background_request::text like ${`%${text}%`}`);
    const address = `${base.replace('http://', 'http://anna:hidden-word@')}/a.jpg?key=hidden-key`;
    const id = await givenTask(owner);
    await owner.http
      .post(`/api/tasks/${id}/data`)
      .send({ image_quality: 70, remote_files: [address] })
      .expect(202);
    expect(await rowsWith('create:task')).not.toHaveLength(0);
    expect(await rowsWith('hidden-')).toEqual([]);
    expect((await processed(app, owner, id)).body).toMatchObject({ status: 'finished' });
    expect(await rowsWith('hidden-')).toEqual([]);
  });

  it.each([
    ['gone.jpg', 'the server responded with 404'],
    ['large.jpg', 'it is larger than 200000 bytes'],
    ['endless.jpg', 'it is larger than 200000 bytes'],
    ['short.jpg', 'closed the connection before it responded'],
    ['round.jpg', 'more than 5 redirects'],
    ['file.jpg', 'it is not an http or https URL'],
    ['inside.jpg', 'refused: 169.254.169.254 is a cloud metadata address'],
  ])('fail the task with a sentence for %s, and leave nothing', async (name, sentence) => {
    const { names, message } = await made([`${base}/a.jpg`, `${base}/${name}`]);
    expect([names, message]).toEqual([[], expect.stringContaining(sentence)]);
    expect(message).toContain(`Cannot download ${base}/${name}: `);
  });

  it.each(['silent.jpg', 'pausing.jpg'])('fail the task if no more data is received for %s', async (name) => {
    const impatient = await createTestApp({ env: { REMOTE_TIMEOUT_MS: '500' } });
    try {
      const person = await new Given(impatient).person();
      const { names, message } = await made([`${base}/${name}`], { app: impatient, owner: person });
      expect([names, message]).toEqual([[], `Cannot download ${base}/${name}: no data received for 500 ms\n`]);
    } finally {
      await impatient.close();
    }
  });

  it('fail if no server responds', async () => {
    const { message } = await made(['http://127.0.0.1:9/a.jpg']);
    expect(message).toBe(
      'Cannot download http://127.0.0.1:9/a.jpg: 127.0.0.1:9 refused the connection; check that it runs on this port\n',
    );
  });

  it.each([
    [['ftp://example.org/a.jpg'], 'ftp://example.org/a.jpg is not an http or https URL that ends with a file name.'],
    [['/etc/passwd'], '"/etc/passwd" is not an http or https URL that ends with a file name.'],
    [['http://example.org/'], 'http://example.org/ is not an http or https URL that ends with a file name.'],
    [['http://u:p@example.org/x/..%2f..%2fa.jpg?k=v'], 'http://***@example.org/x/..%2f..%2fa.jpg?*** is not an http or https URL that ends with a file name.'],
    [['http://example.org/a.jpg', 'http://example.com/a.jpg'], 'http://example.com/a.jpg ends with the same file name as another URL.'],
  ])('are rejected: %j', async (files, sentence) => {
    const answer = await owner.http.post(`/api/tasks/${await givenTask(owner)}/data`).send({ image_quality: 70, remote_files: files });
    expect([answer.status, answer.body]).toEqual([400, { remote_files: [sentence] }]);
  }); // prettier-ignore

  it('are downloaded from private addresses only if allowed', async () => {
    const strict = await createTestApp({ env: { REMOTE_ALLOW_PRIVATE: 'false' } });
    const person = await new Given(strict).person();
    const { message } = await made([`${base}/a.jpg`], { app: strict, owner: person });
    const named = await made([`${base.replace('127.0.0.1', 'localhost')}/a.jpg`], { app: strict, owner: person });
    const before = asked.length;
    await strict.close();
    expect(message).toBe(
      `Cannot download ${base}/a.jpg: refused: 127.0.0.1 is a loopback address; allow it with REMOTE_ALLOW=127.0.0.0/24\n`,
    );
    expect(named.message).toContain('refused: localhost resolves to');
    expect(before).toBe(0);
  });
});
