import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Db } from '../../../src/core/database/db.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { RequestWorker } from '../../../src/modules/requests/index.js';
import { TaskDataService } from '../../../src/modules/media/upload/task-data.service.js';
import { MediaHousekeeping } from '../../../src/modules/media/media-housekeeping.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles } from '../../support/given-media.js';
import { imageFile } from '../../support/images.js';

const named = (name: string): string => `filename ${Buffer.from(name).toString('base64')}`;
const PIECE = 'application/offset+octet-stream';

describe('resumable uploads', () => {
  let database: TestDatabase;
  let dataDir: string;
  let app: TestApp;
  let owner: Person;
  let photo: Buffer;
  let task: number;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'cairn-tus-'));
    app = await createTestApp({ database, dataDir });
    owner = await new Given(app).person();
    photo = await imageFile({ width: 300, height: 200 });
  });

  beforeEach(async () => {
    task = await givenTask(owner);
  });

  afterAll(async () => {
    await app.close();
    await database.drop();
    await rm(dataDir, { recursive: true });
  });

  const create = (name: string, length: number | string) =>
    owner.http
      .post(`/api/tasks/${task}/data/`)
      .set('Upload-Length', String(length))
      .set('Upload-Metadata', named(name))
      .set('Tus-Resumable', '1.0.0');
  const announce = async (name: string, length: number): Promise<string> => {
    const created = await create(name, length).expect(201);
    return new URL(created.headers['location'] ?? '').pathname;
  };
  const send = (path: string, offset: number, data: Buffer, person = owner) =>
    person.http.patch(path).set('Upload-Offset', String(offset)).set('Content-Type', PIECE).send(data);
  const finish = () => owner.http.post(`/api/tasks/${task}/data/`).set('Upload-Finish', '').send({ image_quality: 70 });

  it('are advertised', async () => {
    const found = await owner.http.options(`/api/tasks/${task}/data/`);
    expect([found.status, found.text]).toEqual([204, '']);
    expect(found.headers).toMatchObject({
      'tus-resumable': '1.0.0', 'tus-version': '1.0.0', 'tus-extension': '', 'tus-max-size': '26843545600',
      'access-control-allow-origin': '*', 'access-control-allow-methods': 'PATCH,HEAD,GET,POST,OPTIONS', 'cache-control': 'no-store',
      allow: 'GET, POST, HEAD, OPTIONS',
    }); // prettier-ignore
  });

  it('recreate their folder if it was removed while the server was running', async () => {
    await rm(join(dataDir, 'uploads'), { recursive: true });
    const path = await announce('photo.jpg', photo.length);
    await send(path, 0, photo).expect(204);
    await rm(join(dataDir, 'uploads'), { recursive: true });
    await owner.http
      .post(`/api/tasks/${task}/data`)
      .field('image_quality', '70')
      .attach('client_files[0]', photo, 'a.jpg')
      .expect(202);
  });

  it('refuse pieces of a user who has lost the permission', async () => {
    const path = await announce('photo.jpg', photo.length);
    const heir = await new Given(app).person();
    await app.db.query(sql`update task set owner_id = ${heir.id} where id = ${task}`);
    await send(path, 0, photo).expect(403);
    await owner.http.head(path).expect(403);
  });

  it('accept pieces, which become a file of the task', async () => {
    const created = await create('снимок.jpg', photo.length);
    expect([created.status, created.text]).toEqual([201, '']);
    expect(created.headers['upload-filename']).toBe(`=?utf-8?b?${Buffer.from('снимок.jpg').toString('base64')}?=`);
    expect(created.headers['location'] ?? '').toMatch(
      new RegExp(`^http://127.0.0.1:\\d+/api/tasks/${task}/data/${owner.id}_[0-9a-f-]{36}$`),
    );
    const path = new URL(created.headers['location'] ?? '').pathname;
    const first = await send(path, 0, photo.subarray(0, 100));
    expect([first.status, first.headers['upload-offset'], first.headers['allow']]).toEqual([
      204,
      '100',
      'PATCH, HEAD, OPTIONS',
    ]);
    const state = await owner.http.head(path);
    expect(state.headers).toMatchObject({
      'upload-offset': '100',
      'upload-length': String(photo.length),
      'tus-resumable': '1.0.0',
    });
    const wrong = await send(path, 5, photo.subarray(5));
    expect([wrong.status, wrong.text, wrong.headers['upload-offset']]).toEqual([409, '', undefined]);
    const last = await send(path, 100, photo.subarray(100));
    expect([last.status, last.headers['upload-offset']]).toEqual([204, String(photo.length)]);
    await owner.http.head(path).expect(404);
    await finish().expect(202);
    expect((await processed(app, owner, task)).body.status).toBe('finished');
    const frame = await owner.http
      .get(`/api/tasks/${task}/data?type=frame&number=0&quality=original`)
      .responseType('blob');
    expect(Buffer.compare(frame.body as Buffer, photo)).toBe(0);
  });

  it('continue after a restart of the server', async () => {
    const path = await announce('a.jpg', photo.length);
    await send(path, 0, photo.subarray(0, 200)).expect(204);
    const other = await createTestApp({ database, dataDir });
    try {
      const again = { ...owner, http: (await new Given(other).admin()).http };
      again.http.set('Authorization', `Token ${owner.token}`);
      expect((await again.http.head(path)).headers['upload-offset']).toBe('200');
      await send(path, 200, photo.subarray(200), again).expect(204);
      await again.http
        .post(`/api/tasks/${task}/data/`)
        .set('Upload-Finish', '')
        .send({ image_quality: 70 })
        .expect(202);
      await other.app.get(RequestWorker).drain();
    } finally {
      await other.close();
    }
    expect((await owner.http.get(`/api/tasks/${task}`)).body.size).toBe(1);
  });

  it('are completed if the server was killed after the last piece', async () => {
    const path = await announce('a.jpg', photo.length);
    await send(path, 0, photo.subarray(0, 200)).expect(204);
    const killed = jest.spyOn(app.app.get(TaskDataService), 'complete').mockRejectedValueOnce(new Error('killed'));
    await send(path, 200, photo.subarray(200)).expect(500);
    killed.mockRestore();
    const states = await Promise.all([owner.http.head(path), owner.http.head(path)]);
    for (const state of states.filter(({ status }) => status !== 404))
      expect([state.status, state.headers['upload-offset']]).toEqual([200, String(photo.length)]);
    await finish().expect(202);
    expect((await processed(app, owner, task)).body.status).toBe('finished');
    expect((await owner.http.get(`/api/tasks/${task}`)).body.size).toBe(1);
  });

  /** Sends part of a piece, whose client then sends nothing more. Resolves when the server has stored it. */
  const stall = async (path: string, offset: number, data: Buffer): Promise<Socket> => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1').on('error', () => undefined);
    socket.write(
      `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${owner.token}\r\nContent-Type: ${PIECE}\r\n` +
        `Upload-Offset: ${offset}\r\nContent-Length: ${photo.length - offset}\r\n\r\n`,
    );
    socket.write(data);
    const file = join(dataDir, 'uploads', path.slice(path.lastIndexOf('_') + 1));
    while ((await stat(file)).size < offset + data.length) await pause(10);
    return socket;
  };

  it('keep what was received before the connection was lost', async () => {
    const path = await announce('a.jpg', photo.length);
    const socket = await stall(path, 0, photo.subarray(0, 150));
    socket.destroy();
    await once(socket, 'close');
    const answer = await send(path, 150, photo.subarray(150));
    expect([answer.status, answer.headers['upload-offset']]).toEqual([204, String(photo.length)]);
  });

  it('continue at once if the connection of the earlier request is open but silent', async () => {
    const path = await announce('a.jpg', photo.length);
    const first = await stall(path, 0, photo.subarray(0, 150));
    const ended = once(first, 'close');
    const second = await stall(path, 150, photo.subarray(150, 200));
    await ended;
    expect((await owner.http.head(path)).headers['upload-offset']).toBe('200');
    if (!second.closed) await once(second, 'close');
    await stall(path, 200, photo.subarray(200, 300));
    const wrong = await send(path, 200, photo.subarray(200));
    expect(wrong.status).toBe(409);
    await send(path, 300, photo.subarray(300)).expect(204);
    await finish().expect(202);
    expect((await processed(app, owner, task)).body.status).toBe('finished');
  });

  it('are written by one process at a time, and by another once that one has lost its database', async () => {
    const address = new URL((await create('a.jpg', photo.length)).headers['location'] ?? '');
    const path = address.pathname;
    const other = await createTestApp({ database, dataDir });
    const slow = connect(Number(address.port), '127.0.0.1');
    slow.on('error', () => undefined);
    try {
      const there = { ...owner, http: (await new Given(other).admin()).http };
      there.http.set('Authorization', `Token ${owner.token}`);
      slow.write(
        `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${owner.token}\r\nContent-Type: ${PIECE}\r\n` +
          `Upload-Offset: 0\r\nContent-Length: ${photo.length}\r\n\r\n`,
      );
      slow.write(photo.subarray(0, 150));
      const offset = async (): Promise<number> => Number((await there.http.head(path)).headers['upload-offset']);
      while ((await offset()) < 150);
      expect((await send(path, 150, photo.subarray(150), there)).status).toBe(409);

      await app.app.get(Db).query(sql`
        select pg_terminate_backend(pid) from pg_stat_activity join pg_locks using (pid)
        where application_name like 'cairn locks%' and datname = current_database() and locktype = 'advisory'`);
      let answer = await send(path, 150, photo.subarray(150, 160), there);
      while (answer.status === 409) answer = await send(path, 150, photo.subarray(150, 160), there);
      expect(answer.status).toBe(204);
      slow.write('what comes too late');
      const [refusal] = (await once(slow, 'data')) as [Buffer];
      expect(String(refusal)).toMatch(/^HTTP\/1.1 409 /);
      await send(path, 160, photo.subarray(160), there).expect(204);
    } finally {
      slow.destroy();
      await other.close();
    }
    await finish().expect(202);
    expect((await processed(app, owner, task)).body.status).toBe('finished');
    const frame = await owner.http
      .get(`/api/tasks/${task}/data?type=frame&number=0&quality=original`)
      .responseType('blob');
    expect(Buffer.compare(frame.body as Buffer, photo)).toBe(0);
  });

  it('reject invalid requests', async () => {
    const tooLarge = await create('a.jpg', 26_843_545_601);
    expect([tooLarge.status, tooLarge.text]).toEqual([413, '"File size exceeds max limit of 26843545600 bytes"']);
    for (const length of ['0', '-1', 'x']) await create('a.jpg', length).expect(400);
    const nameless = await owner.http.post(`/api/tasks/${task}/data/`).set('Upload-Length', '5');
    expect([nameless.status, nameless.body]).toEqual([400, "Metadata is expected to contain 'filename' key"]);
    const outside = await create('../../e.png', 5);
    expect([outside.status, outside.text]).toEqual([400, '"File name ../../e.png is not allowed"']);
    const path = await announce('a.jpg', 10);
    await owner.http.patch(path).type('json').send('{}').expect(415);
    await send(path, 0, Buffer.alloc(11)).expect(413);
    await owner.http.patch(path).set('Upload-Offset', 'x').set('Content-Type', PIECE).send(Buffer.alloc(1)).expect(400);
    await send(path.replace(/_.*/, `_${randomUUID()}`), 0, Buffer.alloc(1)).expect(404);
    await send(`/api/tasks/${task}/data/nonsense`, 0, Buffer.alloc(1)).expect(404);
    const foreign = await new Given(app).admin();
    await send(path, 0, Buffer.alloc(10), foreign).expect(403);
    await foreign.http.head(path).expect(403);
    expect((await owner.http.head(path)).headers['upload-offset']).toBe('0');
  });

  it('accept a name only once', async () => {
    const [first, second] = [await announce('a.jpg', photo.length), await announce('a.jpg', 4)];
    await send(first, 0, photo).expect(204);
    await send(second, 0, Buffer.from('late')).expect(204);
    const third = await create('a.jpg', 5);
    expect([third.status, third.text]).toEqual([409, '"File with same name already exists"']);
    await sendFiles(owner, task, { 'a.jpg': photo }).set('Upload-Multiple', '').expect(400);
    await finish().expect(202);
    expect((await processed(app, owner, task)).body.status).toBe('finished');
  });

  it('that are announced but not completed fail the task', async () => {
    await announce('b.jpg', 10);
    await sendFiles(owner, task, { 'a.jpg': photo }).set('Upload-Finish', '').expect(202);
    const { body } = await processed(app, owner, task);
    expect(body.message).toBe("FileNotFoundError: [Errno 2] No such file or directory: 'b.jpg'\n");
  });

  it('can be cancelled by their user and replaced by others', async () => {
    const [whole, half] = [await announce('a.jpg', photo.length), await announce('b.jpg', 10)];
    await send(whole, 0, photo).expect(204);
    await send(half, 0, Buffer.alloc(5)).expect(204);
    const other = await new Given(app).admin();
    await sendFiles(other, task, { 'theirs.jpg': photo }).set('Upload-Multiple', '').expect(200);
    const giveUp = () => owner.http.delete(`/api/tasks/${task}/data/uploads`);
    expect([(await giveUp()).status, (await giveUp()).status]).toEqual([204, 204]);
    await owner.http.head(half).expect(404);
    const kept = await readdir(join(dataDir, 'uploads'));
    for (const path of [whole, half]) expect(kept).not.toContain(path.slice(-36));
    await sendFiles(owner, task, { 'c.jpg': photo }).set('Upload-Finish', '').expect(202);
    expect((await giveUp()).status).toBe(409); // the files are being processed
    expect((await processed(app, owner, task)).body.status).toBe('finished');
    const { frames } = (await owner.http.get(`/api/tasks/${task}/data/meta`)).body as { frames: { name: string }[] };
    expect(frames.map(({ name }) => name)).toEqual(['c.jpg', 'theirs.jpg']);
    expect((await giveUp()).status).toBe(400);
    await owner.http.delete('/api/tasks/2000000000/data/uploads').expect(404);
  });

  it('expire after twelve hours', async () => {
    const path = await announce('a.jpg', 10);
    const now = app.clock.now().getTime();
    const clock = jest.spyOn(app.clock, 'now').mockImplementation(() => new Date(now + 13 * 3_600_000));
    try {
      await app.app.get(MediaHousekeeping).tidy();
    } finally {
      clock.mockRestore();
    }
    await owner.http.head(path).expect(404);
    expect(await readdir(join(dataDir, 'uploads'))).not.toContain(path.slice(-36));
  });
});
