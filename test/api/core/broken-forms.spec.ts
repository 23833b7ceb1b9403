import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

const part = (disposition: string): string => `--x\r\nContent-Disposition: ${disposition}\r\n\r\n1\r\n`;

// An error outside of any request would end the process, here the test.
describe('broken forms', () => {
  let app: TestApp;
  let person: Person;
  let taskId: number;

  beforeAll(async () => {
    app = await createTestApp();
    person = await new Given(app).person();
    taskId = (await person.http.post('/api/tasks').send({ name: 't', labels: [{ name: 'car' }] })).body.id;
  });

  afterAll(() => app.close());

  const endpoints = (): [path: string, file: string][] => [
    ['/api/tasks/backup', 'task_file'],
    ['/api/projects/backup', 'project_file'],
    ['/api/cloudstorages', 'key_file'],
    [`/api/tasks/${taskId}/data`, 'client_files[0]'],
    [`/api/tasks/${taskId}/annotations?format=CVAT%201.1`, 'annotation_file'],
    ['/api/assets', 'file'],
  ];

  /** A small form without its end, so that it changes nothing. */
  const formOf = (file: string): Buffer =>
    Buffer.from(
      part('form-data; name=""') +
        part('form-data') +
        part('form-data; name="other"; filename="o"') +
        part(`form-data; name="${file}"; filename="f"`) +
        part('form-data; filename="n"') +
        '--x',
    );

  const post = (path: string, body: Buffer) =>
    person.http.post(path).set('Content-Type', 'multipart/form-data; boundary=x').send(body);

  const filesSent = async (): Promise<object[]> =>
    (await readdir(app.config.dataDir, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && /uploads|assets/.test(entry.parentPath),
    );

  it('are refused, wherever they end', async () => {
    for (const [path, file] of endpoints()) {
      const form = formOf(file);
      for (let length = 0; length <= form.length; length += 3) {
        const { status } = await post(path, form.subarray(0, length));
        expect([path, length, status]).toEqual([path, length, expect.any(Number)]);
        expect(status).toBeGreaterThanOrEqual(400);
        expect(status).toBeLessThan(500);
      }
    }
  });

  it('leave no file when the client disconnects', async () => {
    const server: Server = app.app.getHttpServer();
    const { port } = server.address() as AddressInfo;
    for (const [path, file] of endpoints()) {
      const form = formOf(file);
      for (let length = 0; length <= form.length; length += 13) {
        const client = connect(port, '127.0.0.1');
        const opened = once(server, 'request') as Promise<[unknown, NodeJS.EventEmitter]>;
        client.write(
          `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${person.token}\r\n` +
            `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${form.length + 1}\r\n\r\n`,
        );
        client.write(form.subarray(0, length));
        const [, response] = await opened;
        const closed = once(response, 'close');
        client.destroy();
        await closed;
      }
    }
    await person.http.get('/api/server/about').expect(200);
    while ((await filesSent()).length > 0) await new Promise(setImmediate); // they are deleted after the disconnect
  });

  it('are read without parts that have no name', async () => {
    const { body } = await person.http
      .post('/api/cloudstorages')
      .set('Content-Type', 'multipart/form-data; boundary=x')
      .send(`${part('form-data; name=""')}--x--\r\n`)
      .expect(400);
    expect(JSON.stringify(body)).not.toContain('Multipart');
  });
});
