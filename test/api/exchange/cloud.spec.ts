import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { CloudBuckets } from '../../../src/modules/cloudstorages/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { askForExport, ended, unpacked } from '../../support/given-exchange.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles } from '../../support/given-media.js';
import { givenStorage, storageBody } from '../../support/given-storage.js';
import { createObjectStore, type ObjectStore, STORE_KEY } from '../../support/object-store.js';
import { imageFile } from '../../support/images.js';

const EXPORT = 'CVAT for images 1.1';
const IMPORT = 'CVAT 1.1';

describe('exports to and imports from a cloud storage', () => {
  let app: TestApp;
  let owner: Person;
  let other: Person;
  let store: ObjectStore;
  let bucket: Map<string, Buffer>;
  let storage: number;
  let folder: string;
  let project: number;
  let task: number;
  let job: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-exchange-'));
    store = await createObjectStore();
    bucket = new Map();
    store.buckets.set('sets', bucket);
    app = await createTestApp();
    const given = new Given(app);
    owner = await given.person();
    other = await given.person();
    storage = await givenStorage(owner, storageBody(store, 'sets'));
    const made = await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'car' }] });
    project = (made.body as { id: number }).id;
    task = await givenTask(owner, { project_id: project });
    await sendFiles(owner, task, { 'a.jpg': await imageFile(), 'b.jpg': await imageFile() }).expect(202);
    await processed(app, owner, task);
    const jobs = await owner.http.get(`/api/jobs?task_id=${task}`);
    job = (jobs.body as { results: { id: number }[] }).results[0]?.id ?? 0;
    const labels = await owner.http.get(`/api/labels?project_id=${project}`);
    const label = (labels.body as { results: { id: number }[] }).results[0]?.id;
    const shape = { label_id: label, type: 'rectangle', frame: 1, points: [1, 2, 3, 4] };
    await owner.http
      .put(`/api/tasks/${task}/annotations`)
      .send({ shapes: [shape] })
      .expect(200);
  });
  afterAll(async () => {
    await app.close();
    await store.close();
    await rm(folder, { recursive: true });
  });

  const cloud = (more: Readonly<Record<string, string>> = {}) => ({
    location: 'cloud_storage',
    cloud_storage_id: String(storage),
    ...more,
  });
  const done = (asked: Response) => ended(app, owner, asked);
  const askForImport = (object: string, query: Readonly<Record<string, string>>) =>
    owner.http.post(`/api/${object}`).query(query);
  const shapes = async (): Promise<number> =>
    ((await owner.http.get(`/api/tasks/${task}/annotations`)).body as { shapes: object[] }).shapes.length;

  it('uploads the file, and keeps no local copy', async () => {
    for (const [object, saved] of [
      [`tasks/${task}`, 'true'],
      [`jobs/${job}`, 'false'],
      [`projects/${project}`, 'false'],
    ] as const) {
      const filename = `out/${object.replace('/', '-')}.zip`;
      const query = { format: EXPORT, save_images: saved, ...cloud({ filename }) };
      const request = await done(await askForExport(owner, object, query));
      expect(request).toMatchObject({ status: 'finished', message: '', result_url: null });
      expect(JSON.stringify(request)).not.toContain(STORE_KEY.secret_key);
      const files = await unpacked(folder, bucket.get(filename) ?? Buffer.alloc(0));
      expect([...files.keys()].sort()).toEqual(
        saved === 'true' ? ['annotations.xml', 'images/a.jpg', 'images/b.jpg'] : ['annotations.xml'],
      );
      const download = await owner.http.get(`/api/${object}/dataset/download`).query({ rq_id: String(request['id']) });
      expect(download.status).toBe(400);
    }
    expect(await readdir(join(app.config.dataDir, 'exports'))).toEqual([]);
  });

  it('downloads a file and imports it', async () => {
    await done(await askForExport(owner, `tasks/${task}`, { format: EXPORT, ...cloud({ filename: 'in.zip' }) }));
    for (const object of [`tasks/${task}`, `jobs/${job}`]) {
      await owner.http.delete(`/api/tasks/${task}/annotations`).expect(204);
      const request = await done(
        await askForImport(`${object}/annotations`, { format: IMPORT, ...cloud({ filename: 'in.zip' }) }),
      );
      expect(request).toMatchObject({ status: 'finished', message: '' });
      expect(await shapes()).toBe(1);
    }
    await done(
      await askForExport(owner, `tasks/${task}`, {
        format: EXPORT,
        save_images: 'true',
        ...cloud({ filename: 'd.zip' }),
      }),
    );
    const whole = await done(
      await askForImport(`projects/${project}/dataset`, { format: IMPORT, ...cloud({ filename: 'd.zip' }) }),
    );
    expect(whole).toMatchObject({ status: 'finished', message: '' });
    const { body } = await owner.http.get(`/api/tasks?project_id=${project}`);
    expect((body as { count: number }).count).toBe(2);
    const left = await readdir(join(app.config.dataDir, 'imports'), { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile())).toEqual([]);
  });

  it('uses the default storage of the object unless the request names another', async () => {
    const place = { location: 'cloud_storage', cloud_storage_id: storage };
    await owner.http.patch(`/api/tasks/${task}`).send({ target_storage: place, source_storage: place }).expect(200);
    for (const object of [`tasks/${task}`, `jobs/${job}`]) {
      bucket.clear();
      const request = await done(await askForExport(owner, object, { format: EXPORT }));
      expect(request).toMatchObject({ status: 'finished', result_url: null });
      expect([...bucket.keys()]).toEqual([
        expect.stringMatching(/^(task|job)_\d+_annotations_.*_cvat for images 1\.1\.zip$/),
      ]);
      const [filename = ''] = bucket.keys();
      const back = await done(await askForImport(`${object}/annotations`, { format: IMPORT, filename }));
      expect(back).toMatchObject({ status: 'finished', message: '' });
    }
    const here = await done(await askForExport(owner, `tasks/${task}`, { format: EXPORT, location: 'local' }));
    expect(here).toMatchObject({ status: 'finished', result_url: expect.any(String) });
    const unnamed = await askForImport(`tasks/${task}/annotations`, { format: IMPORT });
    expect([unnamed.status, unnamed.body]).toEqual([400, ['The filename was not specified']]);
    // An uploaded file takes precedence over the default storage.
    const sent = await owner.http
      .post(`/api/tasks/${task}/annotations`)
      .query({ format: IMPORT })
      .attach('annotation_file', Buffer.from('no archive'), { filename: 'x.zip', contentType: 'application/zip' });
    expect(await done(sent)).toMatchObject({ status: 'failed', message: expect.not.stringContaining('resource') });
    const local = { location: 'local' };
    await owner.http.patch(`/api/tasks/${task}`).send({ target_storage: local, source_storage: local }).expect(200);
  });

  it('stays within the prefix of the storage', async () => {
    const specific = `endpoint_url=${encodeURIComponent(store.url)}&prefix=team/`;
    const narrow = await givenStorage(owner, storageBody(store, 'sets', { specific_attributes: specific }));
    bucket.clear();
    for (const filename of ['x.zip', 'team/y.zip']) {
      const query = { format: EXPORT, location: 'cloud_storage', cloud_storage_id: String(narrow), filename };
      await done(await askForExport(owner, `tasks/${task}`, query));
      const back = await askForImport(`tasks/${task}/annotations`, { ...query, format: IMPORT });
      expect(await done(back)).toMatchObject({ status: 'finished', message: '' });
    }
    expect([...bucket.keys()].sort()).toEqual(['team/x.zip', 'team/y.zip']);
  });

  it('requires permission to see the storage', async () => {
    const foreign = String(await givenStorage(other, storageBody(store, 'sets')));
    const detail = "You don't have access to this cloud storage";
    const query = { format: EXPORT, location: 'cloud_storage', cloud_storage_id: foreign, filename: 'x.zip' };
    const exported = await askForExport(owner, `tasks/${task}`, query);
    expect([exported.status, exported.body]).toEqual([403, { detail }]);
    const imported = await askForImport(`tasks/${task}/annotations`, { ...query, format: IMPORT });
    expect([imported.status, imported.body]).toEqual([403, { detail }]);
  });

  it.each<[Readonly<Record<string, string>>, string]>([
    [{ location: 'cloud_storage' }, 'Trying to use undefined cloud storage (cloud_storage_id was not provided)'],
    [{ location: 'cloud_storage', cloud_storage_id: '99999999999999' }, 'CloudStorage matching query does not exist.'],
    [{ location: 'cloud_storage', cloud_storage_id: 'x' }, 'CloudStorage matching query does not exist.'],
    [{ location: 'moon' }, "The specified location 'moon' is not supported"],
    [cloud({ filename: 'a/../b.zip' }), "The file name 'a/../b.zip' cannot be used in a cloud storage"],
    [
      cloud({ filename: `${'x'.repeat(2000)}.zip` }),
      `The file name '${'x'.repeat(100)}' cannot be used in a cloud storage`,
    ],
  ])('rejects %j', async (query, sentence) => {
    const own = 'cloud_storage_id' in query && query['filename'] !== undefined ? { ...query, ...cloud() } : query;
    const exported = await askForExport(owner, `tasks/${task}`, { format: EXPORT, ...own });
    expect([exported.status, exported.body]).toEqual([400, [sentence]]);
    const imported = await askForImport(`tasks/${task}/annotations`, { filename: 'x.zip', format: IMPORT, ...own });
    expect([imported.status, imported.body]).toEqual([400, [sentence]]);
  });

  it('reports why the storage refused the file, and leaves nothing behind', async () => {
    const gone = await done(
      await askForImport(`tasks/${task}/annotations`, { format: IMPORT, ...cloud({ filename: 'none.zip' }) }),
    );
    expect(gone).toMatchObject({
      status: 'failed',
      message: 'none.zip in the resource sets not found. It may have been deleted.\n',
    });
    store.buckets.delete('sets');
    try {
      const lost = await done(
        await askForExport(owner, `tasks/${task}`, { format: EXPORT, ...cloud({ filename: 'l.zip' }) }),
      );
      expect(lost).toMatchObject({ status: 'failed', message: expect.stringContaining('resource sets not found') });
    } finally {
      store.buckets.set('sets', bucket);
    }
    const dirs = ['exports', 'imports'].map((name) =>
      readdir(join(app.config.dataDir, name), { recursive: true, withFileTypes: true }),
    );
    const left = (await Promise.all(dirs)).flat().filter((entry) => entry.isFile());
    expect(left.map(({ name }) => name)).toEqual([]);
  });

  it('uploads large files in parts', async () => {
    const { bucket: s3 } = await app.app.get(CloudBuckets).find(app.db, storage);
    const content = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 251));
    const file = join(folder, 'large');
    await writeFile(file, content);
    const progress: number[] = [];
    await s3.upload('large', file, { partBytes: 300, onProgress: (done) => progress.push(done) });
    expect(bucket.get('large')).toEqual(content);
    expect(progress).toEqual([0.3, 0.6, 0.9, 1]);
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(s3.upload('other', file, { partBytes: 300, signal: stopped })).rejects.toThrow('stopped');
    expect([...bucket.keys()].filter((key) => key.startsWith('other'))).toEqual([]);
  });
});
