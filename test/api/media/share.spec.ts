import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles } from '../../support/given-media.js';
import { imageFile, zipOf } from '../../support/images.js';

describe('the shared folder', () => {
  let base: string;
  let app: TestApp;
  let owner: Person;

  const put = async (name: string, content: Buffer): Promise<void> => {
    await mkdir(dirname(join(base, 'share', name)), { recursive: true });
    await writeFile(join(base, 'share', name), content);
  };

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'cairn-share-'));
    for (const [at, name] of ['a.jpg', 'dir/1.jpg', 'dir/2.jpg', 'dir/sub/3.jpg'].entries())
      await put(name, await imageFile({ red: at * 30, width: 40 + at }));
    await put('dir/notes.txt', Buffer.from('x'));
    await put('dir/old.zip', Buffer.from('no zip'));
    await put('pack.zip', await zipOf({ 'in/1.jpg': await imageFile() }));
    await put('context/f.jpg', await imageFile());
    await put('context/related_images/f_jpg/side.png', await imageFile({ format: 'png' }));
    await put('odd/broken.jpg', Buffer.from('no image'));
    const manifest = ['{"version":"1.1"}', '{"type":"images"}', ...['2', '1', 'sub/3'].map((name) => JSON.stringify({ name, extension: '.jpg', width: 9, height: 9, meta: {} }))]; // prettier-ignore
    await put('dir/manifest.jsonl', Buffer.from(`${manifest.join('\n')}\n`));
    await writeFile(join(base, 'secret.jpg'), await imageFile());
    await symlink(join(base, 'secret.jpg'), join(base, 'share', 'dir', 'leak.jpg'));
    app = await createTestApp({ env: { SHARE_DIR: join(base, 'share') } });
    owner = await new Given(app).person();
  });

  afterAll(async () => {
    await app.close();
    await rm(base, { recursive: true });
  });

  const send = (id: number, body: object) =>
    owner.http.post(`/api/tasks/${id}/data/`).send({ image_quality: 70, ...body });
  const made = async (body: object): Promise<{ id: number; names: string[]; storage: string; message: string }> => {
    const id = await givenTask(owner);
    await send(id, body).expect(202);
    const request = await processed(app, owner, id);
    const meta = await owner.http.get(`/api/tasks/${id}/data/meta`);
    const names = ((meta.body as { frames?: { name: string }[] }).frames ?? []).map(({ name }) => name);
    const [row] = await app.db.query<{ storage: string }>(sql`
      select storage from media_data join task on task.data_id = media_data.id where task.id = ${id}`);
    return { id, names, storage: row?.storage ?? '', message: request.body.message };
  };
  const frame = (id: number, number = 0) => owner.http.get(`/api/tasks/${id}/data?type=frame&number=${number}`);

  it('is listed', async () => {
    const list = await owner.http.get('/api/server/share').expect(200);
    expect(list.body).toEqual([
      { name: 'context', type: 'DIR', mime_type: 'DIR' },
      { name: 'dir', type: 'DIR', mime_type: 'DIR' },
      { name: 'odd', type: 'DIR', mime_type: 'DIR' },
      { name: 'a.jpg', type: 'REG', mime_type: 'image' },
      { name: 'pack.zip', type: 'REG', mime_type: 'archive' },
    ]);
    const inner = await owner.http.get('/api/server/share?directory=/dir/').expect(200);
    expect((inner.body as { name: string }[]).map(({ name }) => name)).toEqual(['sub', '1.jpg', '2.jpg', 'manifest.jsonl', 'notes.txt', 'old.zip']); // prettier-ignore
    const found = await owner.http.get('/api/server/share?search=p').expect(200);
    expect((found.body as { name: string }[]).map(({ name }) => name)).toEqual(['pack.zip']);
  });

  it.each(['../', 'nowhere', 'a.jpg', 'dir/../..', 'dir/leak.jpg', '%00'])('does not list %s', async (directory) => {
    const answer = await owner.http.get(`/api/server/share?directory=${directory}`);
    expect([answer.status, answer.body]).toEqual([400, `${decodeURIComponent(directory)} is an invalid directory`]);
  });

  it('is available to users and above', async () => {
    const worker = await new Given(app).person({ groups: ['worker'] });
    await worker.http.get('/api/server/share').expect(403);
    await app.http.get('/api/server/share').expect(401);
    const id = await givenTask(owner);
    await owner.http.patch(`/api/tasks/${id}`).send({ assignee_id: worker.id });
    await app.db.query(sql`update task set assignee_id = ${worker.id} where id = ${id}`);
    const body = { image_quality: 70, server_files: ['a.jpg'] };
    await worker.http.post(`/api/tasks/${id}/data`).send(body).expect(403);
  });

  it('keeps images in place', async () => {
    const task = await made({ server_files: ['dir/', 'a.jpg'] });
    expect(task).toMatchObject({ storage: 'share', names: ['a.jpg', 'dir/1.jpg', 'dir/2.jpg', 'dir/sub/3.jpg'] });
    await frame(task.id).expect(200).expect('content-type', 'image/jpeg');
    await owner.http.get(`/api/tasks/${task.id}/data?type=chunk&number=0`).expect(200);
    await owner.http.get(`/api/tasks/${task.id}/preview`).expect(200);
    await rename(join(base, 'share', 'a.jpg'), join(base, 'share', 'b.jpg'));
    const gone = await owner.http.get(`/api/tasks/${task.id}/data?type=frame&number=0&quality=original`);
    await frame(task.id).expect(200); // from the cached chunk
    await rename(join(base, 'share', 'b.jpg'), join(base, 'share', 'a.jpg'));
    expect([gone.status, gone.body]).toEqual([400, "FileNotFoundError: [Errno 2] No such file or directory: 'a.jpg'"]);
    await owner.http.delete(`/api/tasks/${task.id}`).expect(204);
    await app.drain();
    expect((await owner.http.get('/api/server/share?directory=dir')).body).toHaveLength(6);
  });

  it('does not serve a frame that became a link out of the folder', async () => {
    await put('moving/a.jpg', await imageFile());
    const task = await made({ server_files: ['moving/a.jpg'] });
    await rm(join(base, 'share', 'moving', 'a.jpg'));
    await symlink(join(base, 'secret.jpg'), join(base, 'share', 'moving', 'a.jpg'));
    const answer = await frame(task.id);
    await rm(join(base, 'share', 'moving'), { recursive: true });
    expect([answer.status, answer.body]).toEqual([400, "ValueError: 'moving/a.jpg' is outside the shared folder"]);
  });

  it('copies images on request', async () => {
    await put('copied/a.jpg', await imageFile());
    const task = await made({ server_files: ['copied'], copy_data: true });
    await rm(join(base, 'share', 'copied'), { recursive: true });
    expect(task).toMatchObject({ storage: 'local', names: ['copied/a.jpg'] });
    await frame(task.id).expect(200);
  });

  it('copies files that are combined with uploaded ones', async () => {
    const id = await givenTask(owner);
    await sendFiles(owner, id, { 'own.jpg': await imageFile() }, { 'server_files[0]': 'a.jpg' }).expect(202);
    expect((await processed(app, owner, id)).body).toMatchObject({ status: 'finished' });
    await frame(id, 0).expect(200);
    await frame(id, 1).expect(200);
  });

  it('excludes files', async () => {
    const exclude = ['/dir/sub/', 'dir/2.jpg', 'odd', 'context'];
    const task = await made({ server_files: ['/'], server_files_exclude: exclude });
    expect(task.names).toEqual(['a.jpg', 'dir/1.jpg']);
  });

  it('reads an archive in place', async () => {
    expect(await made({ server_files: ['pack.zip'] })).toMatchObject({ storage: 'local', names: ['in/1.jpg'] });
  });

  it('finds context images', async () => {
    const task = await made({ server_files: ['context/'] });
    expect(task.names).toEqual(['context/f.jpg']);
    const context = await owner.http.get(`/api/tasks/${task.id}/data?type=context_image&number=0`);
    expect([context.status, context.headers['content-type']]).toEqual([200, 'application/zip']);
  });

  it('uses a manifest for the order, and for names to select', async () => {
    const sorted = { server_files: ['dir/'], sorting_method: 'predefined' };
    const files = { ...sorted, server_files: ['dir/manifest.jsonl', 'dir/1.jpg', 'dir/2.jpg', 'dir/sub/3.jpg'] };
    expect((await made(files)).names).toEqual(['dir/2.jpg', 'dir/1.jpg', 'dir/sub/3.jpg']);
    const chosen = { server_files: ['dir/manifest.jsonl'], filename_pattern: 'dir/[0-9].*' };
    expect((await made(chosen)).names).toEqual(['dir/1.jpg', 'dir/2.jpg']);
    expect((await made({ server_files: ['dir/manifest.jsonl'], filename_pattern: '*' })).names).toHaveLength(3);
  });

  it.each([
    [['nowhere.jpg'], "FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.jpg'\n"],
    [['dir/leak.jpg'], "ValueError: 'dir/leak.jpg' is outside the shared folder\n"],
    [['odd/'], "PIL.UnidentifiedImageError: cannot identify image file 'odd/broken.jpg'\n"],
    [['dir/notes.txt'], 'ValueError: No media data found\n'],
    [['pack.zip', 'a.jpg'], expect.stringContaining('Only one video, archive, pdf, zip or many image')],
  ])('reports %j as unusable', async (files, message) => {
    const task = await made({ server_files: files });
    expect([task.names, task.message]).toEqual([[], message]);
  });

  it.each([
    [{ server_files: ['../secret.jpg'] }, { server_files: ["File name '../secret.jpg' is not allowed"] }],
    [{ server_files: ['dir/../../secret.jpg'] }, { server_files: ["File name 'dir/../../secret.jpg' is not allowed"] }],
    [{ server_files: ['c:\\x.jpg'] }, { server_files: ["File name 'c:\\\\x.jpg' is not allowed"] }],
    [{ server_files: 'a.jpg' }, { server_files: ['Expected a list of items but got type "str".'] }],
    [{ server_files: [7] }, { server_files: { 0: ['Not a valid string.'] } }],
    [{ server_files_exclude: ['..'] }, { server_files_exclude: ["File name '..' is not allowed"] }],
    [{ copy_data: 'perhaps' }, { copy_data: ['Must be a valid boolean.'] }],
    [{ filename_pattern: '*' }, { filename_pattern: ['The pattern requires a manifest in server_files.'] }],
  ])('rejects %j', async (body, expected) => {
    const answer = await send(await givenTask(owner), body);
    expect([answer.status, answer.body]).toEqual([400, expected]);
  }); // prettier-ignore

  it('is empty if there is none', async () => {
    const other = await createTestApp();
    const person = await new Given(other).person();
    expect((await person.http.get('/api/server/share').expect(200)).body).toEqual([]);
    await person.http.get('/api/server/share?directory=a').expect(400);
    const body = { image_quality: 70, server_files: ['a.jpg'] };
    const answer = await person.http.post(`/api/tasks/${await givenTask(person)}/data`).send(body);
    await other.close();
    expect([answer.status, answer.body]).toEqual([
      400,
      { server_files: ['There is no shared folder on this server.'] },
    ]);
  });
});
