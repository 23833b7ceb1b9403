import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles } from '../../support/given-media.js';
import { givenStorage, storageBody } from '../../support/given-storage.js';
import { createObjectStore, type ObjectStore } from '../../support/object-store.js';
import { imageFile, zipOf } from '../../support/images.js';

describe('tasks from files in a cloud storage', () => {
  let app: TestApp;
  let owner: Person;
  let store: ObjectStore;
  let storageId: number;

  beforeAll(async () => {
    store = await createObjectStore();
    const bucket = new Map<string, Buffer>();
    store.buckets.set('photos', bucket);
    for (const [at, key] of ['a.jpg', 'dir/1.jpg', 'dir/2.jpg', 'dir/sub/3.jpg'].entries())
      bucket.set(key, await imageFile({ width: 40 + at, red: at * 40 }));
    const line = (name: string): string => JSON.stringify({ name, extension: '.jpg', width: 777, height: 555 });
    const manifest = ['{"version":"1.1"}', '{"type":"images"}', line('2'), line('1'), line('sub/3')];
    bucket.set('dir/manifest.jsonl', Buffer.from(manifest.join('\n')));
    bucket.set('notes.txt', Buffer.from('x'));
    bucket.set('pack.zip', await zipOf({ 'in/1.jpg': await imageFile() }));
    bucket.set('broken/x.jpg', Buffer.from('no image'));
    bucket.set('empty/x.jpg', Buffer.alloc(0));
    for (const name of ['1.jpg', '2.jpg', '3.mp4', '4.zip', '._1.jpg']) bucket.set(`mixed/${name}`, Buffer.from('x'));
    bucket.set('odd//x.jpg', await imageFile());
    app = await createTestApp();
    owner = await new Given(app).person();
    storageId = await givenStorage(owner, storageBody(store, 'photos'));
  });
  afterEach(() => void store.asked.splice(0));
  afterAll(async () => {
    await app.close();
    await store.close();
  });

  const task = async (body: object) => {
    const id = await givenTask(owner);
    const parameters = { image_quality: 70, cloud_storage_id: storageId, ...body };
    await owner.http.post(`/api/tasks/${id}/data/`).send(parameters).expect(202);
    const request = await processed(app, owner, id);
    const meta = await owner.http.get(`/api/tasks/${id}/data/meta`);
    const frames = (meta.body as { frames?: { name: string; width: number }[] }).frames ?? [];
    const [row] = await app.db.query<{ storage: string; cloud_storage_id: number | null }>(sql`
      select storage, cloud_storage_id from media_data join task on task.data_id = media_data.id where task.id = ${id}`);
    return { id, frames, names: frames.map(({ name }) => name), message: String(request.body.message), ...row };
  };

  it('leave images in the storage and read only their headers', async () => {
    const made = await task({ server_files: ['a.jpg', 'dir/'] });
    expect(made.message).toBe('');
    expect(made).toMatchObject({ storage: 'cloud_storage', cloud_storage_id: storageId });
    expect(made.frames.map(({ name, width }) => [name, width])).toEqual([
      ['a.jpg', 40],
      ['dir/1.jpg', 41],
      ['dir/2.jpg', 42],
      ['dir/sub/3.jpg', 43],
    ]);
    expect(store.asked.filter((line) => line.endsWith('.jpg'))).toEqual([]);
    await owner.http.get(`/api/tasks/${made.id}/data?type=frame&number=1`).expect(200);
    await owner.http.get(`/api/tasks/${made.id}/data?type=chunk&number=0&quality=original`).expect(200);
    expect(store.asked).toContain('GET /photos/dir/1.jpg');
    const backup = store.buckets.get('photos')?.get('a.jpg') ?? Buffer.alloc(0);
    store.buckets.get('photos')?.delete('a.jpg');
    const gone = await owner.http.get(`/api/tasks/${made.id}/data?type=frame&number=0`);
    store.buckets.get('photos')?.set('a.jpg', backup);
    expect([gone.status, gone.body]).toEqual([
      404,
      'a.jpg in the resource photos not found. It may have been deleted.',
    ]);
  });

  it('take sizes and order from a manifest without reading any image', async () => {
    const made = await task({ server_files: ['dir/manifest.jsonl', 'dir/'], sorting_method: 'predefined' });
    expect(made.names).toEqual(['dir/2.jpg', 'dir/1.jpg', 'dir/sub/3.jpg']);
    expect(made.frames.every(({ width }) => width === 777)).toBe(true);
    expect(store.asked.filter((line) => line.includes('.jpg'))).toEqual([]);
  });

  it('keep the order of the request for folders, and that of the manifest within them', async () => {
    const predefined = { sorting_method: 'predefined' };
    const made = await task({ ...predefined, server_files: ['dir/', 'a.jpg'] });
    expect(made.names).toEqual(['dir/2.jpg', 'dir/1.jpg', 'dir/sub/3.jpg', 'a.jpg']);
    expect((await task({ ...predefined, server_files: ['dir/sub/', 'a.jpg'] })).names).toEqual([
      'dir/sub/3.jpg',
      'a.jpg',
    ]);
    const some = { ...predefined, server_files_exclude: ['dir/2.jpg'] };
    expect((await task({ ...some, server_files: ['dir/'] })).names).toEqual(['dir/1.jpg', 'dir/sub/3.jpg']);
  });

  it('keep the order of the request for folders next to a manifest that has another one', async () => {
    const made = await task({
      sorting_method: 'predefined',
      server_files: ['dir/sub/', 'dir/manifest.jsonl', 'dir/1.jpg', 'dir/'],
    });
    expect(made.names).toEqual(['dir/sub/3.jpg', 'dir/1.jpg', 'dir/2.jpg']);
  });

  it('apply patterns to the manifest and to the bucket', async () => {
    const chosen = await task({ server_files: ['dir/manifest.jsonl'], filename_pattern: 'dir/[12].jpg' });
    expect(chosen.names).toEqual(['dir/1.jpg', 'dir/2.jpg']);
    const all = await task({ filename_pattern: '*.jpg', server_files: [] });
    expect(all.message).toContain("'odd//x.jpg' of the cloud storage cannot be used");
    expect((await task({ filename_pattern: 'dir/*' })).names).toEqual(['dir/1.jpg', 'dir/2.jpg', 'dir/sub/3.jpg']);
  });

  it('exclude files', async () => {
    const made = await task({ server_files: ['dir/'], server_files_exclude: ['dir/sub/', 'dir/1.jpg'] });
    expect(made.names).toEqual(['dir/2.jpg']);
  });

  it('copy files on request, from an archive, and together with uploaded files', async () => {
    expect(await task({ server_files: ['a.jpg'], copy_data: true })).toMatchObject({ storage: 'local', cloud_storage_id: null, names: ['a.jpg'] });
    expect(await task({ server_files: ['pack.zip'] })).toMatchObject({ storage: 'local', names: ['in/1.jpg'] });
    const id = await givenTask(owner);
    const parameters = { cloud_storage_id: storageId, 'server_files[0]': 'a.jpg' };
    await sendFiles(owner, id, { 'own.jpg': await imageFile() }, parameters).expect(202);
    expect((await processed(app, owner, id)).body.status).toBe('finished');
    await owner.http.get(`/api/tasks/${id}/data?type=frame&number=0`).expect(200);
  }); // prettier-ignore

  it.each([
    [['no.jpg'], 'no.jpg in the resource photos not found. It may have been deleted.\n'],
    [['broken/'], "PIL.UnidentifiedImageError: cannot identify image file 'broken/x.jpg'\n"],
    [['notes.txt'], 'ValueError: No media data found\n'],
    [['nowhere/'], 'ValueError: No media data found\n'],
    [['empty/'], "PIL.UnidentifiedImageError: cannot identify image file 'empty/x.jpg'\n"],
    [
      ['mixed/'],
      expect.stringContaining('2 image(s), 1 video(s), 0 archive(s), 0 directory(s), 0 pdf(s), 1 zip(s) found'),
    ],
    [['no.jsonl', 'a.jpg'], 'no.jsonl in the resource photos not found. It may have been deleted.\n'],
  ])('reject %j', async (files, message) => {
    expect(await task({ server_files: files })).toMatchObject({ names: [], message });
  });

  it('are rejected for users who do not see the storage, and without a storage', async () => {
    const stranger = await new Given(app).person();
    const body = { image_quality: 70, server_files: ['a.jpg'] };
    const id = await givenTask(stranger);
    await stranger.http.post(`/api/tasks/${id}/data`).send({ ...body, cloud_storage_id: storageId }).expect(403);
    const unknown = await stranger.http.post(`/api/tasks/${id}/data`).send({ ...body, cloud_storage_id: 4_000_000 });
    expect([unknown.status, unknown.body]).toEqual([400, ['CloudStorage matching query does not exist.']]);
    const outside = { ...body, server_files: ['../a.jpg'], cloud_storage_id: storageId };
    const refused = await owner.http.post(`/api/tasks/${await givenTask(owner)}/data`).send(outside);
    expect([refused.status, refused.body]).toEqual([400, { server_files: ["File name '../a.jpg' is not allowed"] }]);
  }); // prettier-ignore

  it('cannot read their images after the storage is deleted', async () => {
    const made = await task({ server_files: ['dir/1.jpg'] });
    await owner.http.delete(`/api/cloudstorages/${storageId}`).expect(204);
    const answer = await owner.http.get(`/api/tasks/${made.id}/data?type=frame&number=0`);
    expect([answer.status, answer.body]).toEqual([400, 'The cloud storage was deleted']);
    const meta = await owner.http.get(`/api/tasks/${made.id}/data/meta`).expect(200);
    expect(meta.body.size).toBe(1);
  });
});
