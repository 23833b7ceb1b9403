import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DatabaseUnavailable } from '../../../src/core/database/database-client.js';
import { UnitOfWork } from '../../../src/core/database/unit-of-work.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';
import { givenPhotos, givenTask, processed, sendFiles } from '../../support/given-media.js';
import { imageFile, zipOf } from '../../support/images.js';

interface Meta {
  size: number;
  frames: { name: string; width: number; height: number }[];
}

describe('uploading task data', () => {
  let app: TestApp;
  let owner: Person;
  let photo: Buffer;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    photo = await imageFile();
  });

  afterAll(() => app.close());

  const names = async (id: number): Promise<string[]> => {
    const { body } = await owner.http.get(`/api/tasks/${id}/data/meta`).expect(200);
    return (body as Meta).frames.map(({ name }) => name);
  };
  const task = async (id: number): Promise<Record<string, unknown>> => (await owner.http.get(`/api/tasks/${id}`)).body;

  it('keeps the files if the connection to the database was lost after the commit', async () => {
    const id = await givenTask(owner);
    const work = app.app.get(UnitOfWork);
    const run = work.run.bind(work);
    const losing = jest.spyOn(work, 'run').mockImplementationOnce(async (change) => {
      await run(change);
      throw new DatabaseUnavailable(new Error('Connection terminated unexpectedly'));
    });
    await sendFiles(owner, id, { 'a.jpg': photo }).expect(503);
    losing.mockRestore();
    expect((await processed(app, owner, id)).body).toMatchObject({ status: 'finished' });
    expect(await names(id)).toEqual(['a.jpg']);
  });

  it('in one request', async () => {
    const id = await givenTask(owner, { segment_size: 4, overlap: 1 });
    const files = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`img${i}.jpg`, photo]));
    const before = (await recordedEvents(app)).length;
    const sent = await sendFiles(owner, id, files, { image_quality: 80 });
    expect([sent.status, sent.body]).toEqual([202, { rq_id: `action=create&target=task&target_id=${id}` }]);
    const request = await processed(app, owner, id);
    expect(request.body).toMatchObject({
      status: 'finished',
      message: '',
      operation: { type: 'create:task', target: 'task', project_id: null, task_id: id, job_id: null, format: null },
      progress: 0,
      owner: { id: owner.id, username: owner.username },
      result_url: null,
      result_id: null,
    });
    expect(Date.parse(request.body.expiry_date) - Date.parse(request.body.finished_date)).toBe(500_000);
    expect(await task(id)).toMatchObject({
      mode: 'annotation', size: 10, segment_size: 4, overlap: 1, image_quality: 80, data_chunk_size: 72, dimension: '2d',
      data_compressed_chunk_type: 'imageset', data_original_chunk_type: 'imageset', jobs: { count: 3 },
    }); // prettier-ignore
    const jobs = await owner.http.get(`/api/jobs?task_id=${id}&sort=id`);
    const ranges = (jobs.body.results as { start_frame: number; stop_frame: number }[]).map((job) => [
      job.start_frame,
      job.stop_frame,
    ]);
    expect(ranges).toEqual([[0, 3], [3, 6], [6, 9]]); // prettier-ignore
    const events = (await recordedEvents(app)).slice(before);
    expect(events.map(({ name }) => name)).toEqual([
      'update:task', 'update:task', 'create:job', 'create:job', 'create:job', 'update:task', 'update:task',
      'completed:request[create:task]',
    ]); // prettier-ignore
    expect(events[1]?.before).toEqual(['updated_date']);
    expect(events[5]?.before).toEqual(expect.arrayContaining(['mode', 'updated_date']));
    expect(events[6]?.before.filter((key) => key !== 'updated_date')).toEqual([]);
    const again = await sendFiles(owner, id, { 'b.jpg': photo });
    expect([again.status, again.body]).toEqual([400, 'Adding more data is not supported']);
  });

  it('in several requests, with and without a trailing slash', async () => {
    const id = await givenTask(owner);
    const start = await owner.http
      .post(`/api/tasks/${id}/data/`)
      .set('Upload-Start', '')
      .set('Content-Type', 'application/json');
    expect([start.status, start.text]).toEqual([202, '']);
    expect(await task(id)).toMatchObject({ size: 0, image_quality: 50, data_chunk_size: null, jobs: { count: 0 } });
    expect((await owner.http.get(`/api/tasks/${id}/data/meta`)).body).toMatchObject({
      chunks_updated_date: null, chunk_size: null, size: 0, frames: [], deleted_frames: [], included_frames: null,
    }); // prettier-ignore
    for (const name of ['b.jpg', 'a.jpg']) {
      const more = await sendFiles(owner, id, { [name]: photo }).set('Upload-Multiple', '');
      expect([more.status, more.text, more.headers['content-type']]).toEqual([200, '', undefined]);
    }
    const finish = await owner.http.post(`/api/tasks/${id}/data/`).set('Upload-Finish', '').send({ image_quality: 70 });
    expect(finish.status).toBe(202);
    await processed(app, owner, id);
    expect(await names(id)).toEqual(['a.jpg', 'b.jpg']);
    expect(await readdir(join(app.config.dataDir, 'uploads'))).toEqual([]);
  });

  it('as an archive, with folders and files that operating systems add', async () => {
    const id = await givenTask(owner);
    const archive = await zipOf({
      'b/2.png': await imageFile({ format: 'png', width: 20, height: 10 }),
      'b/1.jpg': await imageFile({ orientation: 6, width: 30, height: 10 }),
      '__MACOSX/b/._1.jpg': Buffer.from('x'),
      'readme.txt': Buffer.from('x'),
    });
    await sendFiles(owner, id, { 'photos.zip': archive }).expect(202);
    expect((await processed(app, owner, id)).body).toMatchObject({ status: 'finished' });
    const { body } = await owner.http.get(`/api/tasks/${id}/data/meta`);
    expect((body as Meta).frames).toEqual([
      { name: 'b/1.jpg', width: 10, height: 30, related_files: 0, has_related_context: false },
      { name: 'b/2.png', width: 20, height: 10, related_files: 0, has_related_context: false },
    ]);
  });

  it('without the files that an operating system adds to a folder', async () => {
    const id = await givenTask(owner);
    const added = { '._a.jpg': Buffer.from('x'), '.DS_Store': Buffer.from('x'), 'Thumbs.db': Buffer.from('x') };
    await sendFiles(owner, id, { 'a.jpg': photo, ...added }).expect(202);
    await processed(app, owner, id);
    expect(await names(id)).toEqual(['a.jpg']);
  });

  it.each([
    ['lexicographical', ['Img3.jpg', '_a.jpg', 'img1.jpg', 'img10.jpg', 'img2.jpg']],
    ['natural', ['_a.jpg', 'img1.jpg', 'img2.jpg', 'Img3.jpg', 'img10.jpg']],
    ['predefined', ['img10.jpg', '_a.jpg', 'img2.jpg', 'Img3.jpg', 'img1.jpg']],
  ])('sorted %s', async (method, expected) => {
    const id = await givenTask(owner);
    const files = Object.fromEntries(
      ['img10.jpg', '_a.jpg', 'img2.jpg', 'Img3.jpg', 'img1.jpg'].map((name) => [name, photo]),
    );
    await sendFiles(owner, id, files, { sorting_method: method }).expect(202);
    await processed(app, owner, id);
    expect(await names(id)).toEqual(expected);
  });

  it('in a given order, which must be a permutation of the files', async () => {
    const id = await givenTask(owner);
    const order = { sorting_method: 'predefined', 'upload_file_order[0]': 'b.jpg', 'upload_file_order[1]': 'a.jpg' };
    const wrong = await sendFiles(owner, id, { 'a.jpg': photo, 'c.jpg': photo }, order);
    expect(wrong.status).toBe(400);
    expect(wrong.body[0]).toContain("Uploaded files do not match the 'upload_file_order' field contents.");
    await sendFiles(owner, id, { 'a.jpg': photo, 'b.jpg': photo }, order).expect(202);
    await processed(app, owner, id);
    expect(await names(id)).toEqual(['b.jpg', 'a.jpg']);
  });

  it('with a range and a step', async () => {
    const { id } = await givenPhotos(
      app,
      owner,
      10,
      { segment_size: 2 },
      { start_frame: 1, stop_frame: 8, frame_filter: 'step = 3' },
    );
    expect(await names(id)).toEqual(['img_01.jpg', 'img_04.jpg', 'img_07.jpg']);
    const { body } = await owner.http.get(`/api/tasks/${id}/data/meta`);
    expect(body).toMatchObject({ size: 3, start_frame: 1, stop_frame: 7, frame_filter: 'step = 3' });
    const jobs = await owner.http.get(`/api/jobs?task_id=${id}&sort=id`);
    const last = (jobs.body.results as { id: number; start_frame: number }[])[1];
    expect(last?.start_frame).toBe(2);
    const meta = await owner.http.get(`/api/jobs/${last?.id}/data/meta`);
    expect(meta.body).toMatchObject({ size: 1, start_frame: 7, stop_frame: 7, frames: [{ name: 'img_07.jpg' }] });
  });

  it.each<[string, object, Record<string, string | number>, number]>([
    ['jobs', { segment_size: 2 ** 31 - 1, overlap: 2 ** 31 - 1 }, {}, 3],
    ['chunks', {}, { chunk_size: 2 ** 31 - 1 }, 3],
    ['a step', {}, { start_frame: 1, stop_frame: 2 ** 31 - 1, frame_filter: 'step=9007199254740991' }, 1],
  ])('with %s far larger than the task', async (_, options, parameters, size) => {
    const { id } = await givenPhotos(app, owner, 3, options, parameters);
    await owner.http.get(`/api/tasks/${id}/data?type=chunk&number=0`).expect(200);
    expect(await names(id)).toHaveLength(size);
  });

  it('with a mapping of files to jobs, and with replicas', async () => {
    const id = await givenTask(owner, { consensus_replicas: 2 });
    const files = { 'a.jpg': photo, 'b.jpg': photo, 'c.jpg': photo, 'd.jpg': photo };
    const mapping = {
      'job_file_mapping[0][0]': 'c.jpg',
      'job_file_mapping[0][1]': 'a.jpg',
      'job_file_mapping[1][0]': 'b.jpg',
    };
    await sendFiles(owner, id, files, mapping).expect(202);
    await processed(app, owner, id);
    expect(await names(id)).toEqual(['c.jpg', 'a.jpg', 'b.jpg']);
    expect(await task(id)).toMatchObject({ segment_size: 0, overlap: 0, size: 3, jobs: { count: 6 } });
  });

  it('derives the chunk size from the first frame by default', async () => {
    const id = await givenTask(owner);
    await sendFiles(owner, id, { 'a.jpg': await imageFile({ width: 3840, height: 2160 }) }).expect(202);
    await processed(app, owner, id);
    expect(await task(id)).toMatchObject({ data_chunk_size: 9 });
    const { id: told } = await givenPhotos(app, owner, 1, {}, { chunk_size: 5 });
    expect(await task(told)).toMatchObject({ data_chunk_size: 5 });
  });

  it('rejects a duplicate name, and keeps the first file', async () => {
    const id = await givenTask(owner);
    await sendFiles(owner, id, { 'a.jpg': photo }).set('Upload-Multiple', '').expect(200);
    const twice = await sendFiles(owner, id, { 'a.jpg': photo }).set('Upload-Multiple', '');
    expect([twice.status, twice.body]).toEqual([400, ['File with same name already exists: a.jpg']]);
    const both = owner.http.post(`/api/tasks/${id}/data`).field('image_quality', 70);
    const refused = await both.attach('client_files[0]', photo, 'b.jpg').attach('client_files[1]', photo, 'b.jpg');
    expect([refused.status, refused.body]).toEqual([400, ['File with same name already exists: b.jpg']]);
    expect(await readdir(join(app.config.dataDir, 'uploads'))).toHaveLength(1);
  });

  it('rejects wrong parameters, bodies and users, and keeps none of the files', async () => {
    const id = await givenTask(owner);
    const kept = (await readdir(join(app.config.dataDir, 'uploads'))).length;
    const wrong = await sendFiles(owner, id, { 'a.jpg': photo }, { image_quality: 101 });
    expect([wrong.status, wrong.body]).toEqual([
      400,
      { image_quality: ['Ensure this value is less than or equal to 100.'] },
    ]);
    await owner.http
      .post(`/api/tasks/${id}/data`)
      .send({})
      .expect(400, '{"image_quality":["This field is required."]}');
    await owner.http.post(`/api/tasks/${id}/data`).type('text/plain').send('x').expect(415);
    await owner.http.post(`/api/tasks/${id}/data`).type('json').send('{').expect(400);
    await owner.http
      .post(`/api/tasks/${id}/data`)
      .type('multipart/form-data; boundary=x')
      .send('--x\r\nhalf')
      .expect(400);
    await owner.http.post('/api/tasks/0/data').send({}).expect(404);
    const stranger = await new Given(app).person();
    await sendFiles(stranger, id, { 'a.jpg': photo }).expect(403);
    expect(await readdir(join(app.config.dataDir, 'uploads'))).toHaveLength(kept);
  });

  it('can run only once at a time', async () => {
    const id = await givenTask(owner);
    await sendFiles(owner, id, { 'a.jpg': photo }).expect(202);
    const again = await sendFiles(owner, id, { 'b.jpg': photo });
    expect([again.status, again.body]).toEqual([409, { rq_id: `action=create&target=task&target_id=${id}` }]);
    await owner.http.post(`/api/requests/action=create&target=task&target_id=${id}/cancel`).expect(200, '');
    await owner.http
      .get(`/api/requests/action=create&target=task&target_id=${id}`)
      .expect(404, 'There is no request with specified id');
    await sendFiles(owner, id, { 'b.jpg': photo }).expect(202);
    await processed(app, owner, id);
    expect(await names(id)).toEqual(['a.jpg', 'b.jpg']);
  });
});
