import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import type { BackupKind } from '../../support/given-backup.js';
import { ended, unpacked } from '../../support/given-exchange.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles } from '../../support/given-media.js';
import { givenStorage, storageBody } from '../../support/given-storage.js';
import { createObjectStore, type ObjectStore, STORE_KEY } from '../../support/object-store.js';
import { imageFile, zipOf } from '../../support/images.js';

type Query = Readonly<Record<string, string>>;

describe('backups in a cloud storage', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let other: Person;
  let store: ObjectStore;
  let bucket: Map<string, Buffer>;
  let storage: number;
  let folder: string;
  let project: number;
  let task: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-cloud-backup-'));
    store = await createObjectStore();
    store.buckets.set('sets', new Map());
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
    other = await given.person();
    storage = await givenStorage(owner, storageBody(store, 'sets'));
    const made = await owner.http.post('/api/projects').send({ name: 'Streets', labels: [{ name: 'car' }] });
    project = (made.body as { id: number }).id;
    task = await givenTask(owner, { project_id: project });
    await sendFiles(owner, task, { 'a.jpg': await imageFile(), 'b.jpg': await imageFile() }).expect(202);
    await processed(app, owner, task);
  });
  beforeEach(() => {
    bucket = new Map();
    store.buckets.set('sets', bucket);
  });
  afterAll(async () => {
    await app.close();
    await store.close();
    await rm(folder, { recursive: true });
  });

  const cloud = (filename: string, id = storage): Query => ({
    location: 'cloud_storage',
    cloud_storage_id: String(id),
    filename,
  });
  const backup = (object: string, query: Query = {}, person = owner) =>
    person.http.post(`/api/${object}/backup/export`).query(query);
  const restore = (kind: BackupKind, query: Query, person = owner) =>
    person.http.post(`/api/${kind}/backup/`).query(query);
  const done = async (asked: { status: number; body: unknown }, person = owner) => {
    const request = await ended(app, person, asked);
    expect(JSON.stringify(request)).not.toContain(STORE_KEY.secret_key);
    return request;
  };
  const expectNothingKept = async (): Promise<void> => {
    const lists = ['exports', 'imports'].map((name) =>
      readdir(join(app.config.dataDir, name), { recursive: true, withFileTypes: true }),
    );
    const left = (await Promise.all(lists)).flat().filter((entry) => entry.isFile());
    expect(left.map(({ name }) => name)).toEqual([]);
  };

  it.each(['tasks', 'projects'] as const)('of %s are written there and restored from there', async (kind) => {
    const id = kind === 'tasks' ? task : project;
    const request = await done(await backup(`${kind}/${id}`, cloud('kept/whole.zip')));
    expect(request).toMatchObject({ status: 'finished', message: '', result_url: null });
    const files = await unpacked(folder, bucket.get('kept/whole.zip') ?? Buffer.alloc(0));
    const prefix = kind === 'tasks' ? '' : 'task_0/';
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([`${prefix}task.json`, `${prefix}annotations.json`, `${prefix}data/a.jpg`]),
    );
    const download = await owner.http.get(`/api/${kind}/${id}/backup/download`).query({ rq_id: String(request['id']) });
    expect([download.status, download.text]).toEqual([400, 'The file of this export is in a cloud storage']);

    const back = await done(await restore(kind, cloud('kept/whole.zip')));
    expect(back).toMatchObject({ status: 'finished', result_id: expect.any(Number) });
    const again = await owner.http.get(`/api/${kind}/${String(back['result_id'])}`);
    const before = await owner.http.get(`/api/${kind}/${id}`);
    expect(again.body).toMatchObject({ name: before.body.name, owner: { id: owner.id } });
    expect(again.body.id).not.toBe(id);
    const tasks = kind === 'tasks' ? [again.body] : (await owner.http.get(`/api/tasks?project_id=${again.body.id}`)).body.results; // prettier-ignore
    expect(tasks).toMatchObject([{ size: 2 }]);
    await expectNothingKept();
  });

  it('use the default storage of the object unless the request names another', async () => {
    const place = { location: 'cloud_storage', cloud_storage_id: storage };
    await owner.http.patch(`/api/tasks/${task}`).send({ target_storage: place }).expect(200);
    try {
      expect(await done(await backup(`tasks/${task}`))).toMatchObject({ status: 'finished', result_url: null });
      expect([...bucket.keys()]).toEqual([expect.stringMatching(/^task_.*_backup_\d{4}(_\d\d){5}\.zip$/)]);
      const here = await done(await backup(`tasks/${task}`, { location: 'local' }));
      expect(here).toMatchObject({ status: 'finished', result_url: expect.any(String) });
    } finally {
      await owner.http
        .patch(`/api/tasks/${task}`)
        .send({ target_storage: { location: 'local' } })
        .expect(200);
    }
  });

  it('use storages that the requester can see, including those of an organization', async () => {
    const organization = await given.organization(other);
    const foreign = await givenStorage(other, storageBody(store, 'sets'), { org: organization.slug });
    const detail = "You don't have access to this cloud storage";
    for (const answer of [
      await backup(`tasks/${task}`, cloud('x.zip', foreign)),
      await backup(`projects/${project}`, cloud('x.zip', foreign)),
      await restore('tasks', cloud('x.zip', foreign)),
      await restore('projects', cloud('x.zip', foreign)),
    ])
      expect([answer.status, answer.body]).toEqual([403, { detail }]);
    // Seeing the storage does not imply seeing the task.
    expect((await backup(`tasks/${task}`, cloud('x.zip', foreign), other)).status).toBe(403);
    expect(bucket.size).toBe(0);

    await done(await backup(`tasks/${task}`, cloud('x.zip')));
    const back = await done(
      await restore('tasks', { ...cloud('x.zip', foreign), org: organization.slug }, other),
      other,
    );
    expect(back).toMatchObject({ status: 'finished' });
    const again = await other.http.get(`/api/tasks/${String(back['result_id'])}`);
    expect(again.body).toMatchObject({ owner: { id: other.id }, organization: organization.id });
  });

  it.each<[Query, string]>([
    [{ location: 'cloud_storage' }, 'Trying to use undefined cloud storage (cloud_storage_id was not provided)'],
    [{ location: 'cloud_storage', cloud_storage_id: '99999999999999' }, 'CloudStorage matching query does not exist.'],
    [{ location: 'cloud_storage', cloud_storage_id: '-1' }, 'CloudStorage matching query does not exist.'],
    [{ location: 'moon' }, "The specified location 'moon' is not supported"],
  ])('reject %j', async (query, sentence) => {
    for (const answer of [
      await backup(`tasks/${task}`, query),
      await backup(`projects/${project}`, query),
      await restore('tasks', { filename: 'x.zip', ...query }),
      await restore('projects', { filename: 'x.zip', ...query }),
    ])
      expect([answer.status, answer.body]).toEqual([400, [sentence]]);
  });

  it('reject invalid keys', async () => {
    const bad = "The file name 'a/../b.zip' cannot be used in a cloud storage";
    expect((await backup(`tasks/${task}`, cloud('a/../b.zip'))).body).toEqual([bad]);
    expect((await restore('tasks', cloud('a/../b.zip'))).body).toEqual([bad]);
    const unnamed = await restore('projects', cloud(''));
    expect([unnamed.status, unnamed.body]).toEqual([400, ['The filename was not specified']]);
  });

  it('that are missing or invalid fail with a message and leave nothing behind', async () => {
    const whole = await zipOf({ 'task.json': Buffer.from('{}') });
    bucket.set('cut.zip', whole.subarray(0, whole.length - 10));
    bucket.set('text.zip', Buffer.from('no archive'));
    bucket.set('other.zip', whole);
    for (const [name, message] of [
      ['none.zip', 'none.zip in the resource sets not found. It may have been deleted.\n'],
      ['text.zip', expect.stringContaining("zipfile.BadZipFile: File is not a zip file: 'text.zip'")],
      ['cut.zip', expect.stringContaining("zipfile.BadZipFile: File is not a zip file: 'cut.zip'")],
      ['other.zip', expect.stringContaining('task.json')],
    ] as const)
      expect(await done(await restore('tasks', cloud(name)))).toMatchObject({ status: 'failed', message });
    const project = await done(await restore('projects', cloud('other.zip')));
    expect(project).toMatchObject({ status: 'failed', message: expect.stringContaining('no file project.json') });
    store.buckets.delete('sets');
    const lost = await done(await backup(`tasks/${task}`, cloud('l.zip')));
    expect(lost).toMatchObject({ status: 'failed', message: expect.stringContaining('resource sets not found') });
    await expectNothingKept();
  });
});
