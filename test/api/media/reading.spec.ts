import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { MediaHousekeeping } from '../../../src/modules/media/media-housekeeping.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';
import { givenPhotos, givenTask, processed, sendFiles } from '../../support/given-media.js';
import { imageFile, unzip, zipOf } from '../../support/images.js';

describe('reading media', () => {
  let app: TestApp;
  let owner: Person;
  let task: { id: number; files: Record<string, Buffer> };
  let jobs: number[];

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    task = await givenPhotos(app, owner, 7, { segment_size: 3, overlap: 1 }, { chunk_size: 2 });
    const { body } = await owner.http.get(`/api/jobs?task_id=${task.id}&sort=id`);
    jobs = (body.results as { id: number }[]).map(({ id }) => id);
  });

  afterAll(() => app.close());

  const get = (path: string) => owner.http.get(path).buffer(true).parse((response, done) => {
    const parts: Buffer[] = [];
    response.on('data', (part: Buffer) => parts.push(part));
    response.on('end', () => done(null, Buffer.concat(parts)));
  }); // prettier-ignore
  const bytes = async (path: string): Promise<Buffer> => (await get(path).expect(200)).body as Buffer;
  const redOf = async (image: Buffer): Promise<number> => (await sharp(image).stats()).channels[0]?.mean ?? 0;

  it('chunks of a task', async () => {
    const answer = await get(`/api/tasks/${task.id}/data?type=chunk&number=1&quality=compressed`);
    const archive = answer.body as Buffer;
    expect(answer.headers).toMatchObject({
      'content-type': 'application/zip', 'content-length': String(archive.length),
      'x-checksum': String(crc32(archive.subarray(0, 1000), crc32(String(archive.length)))),
    }); // prettier-ignore
    const meta = await owner.http.get(`/api/tasks/${task.id}/data/meta`);
    expect(answer.headers['x-updated-date']).toBe(meta.body.chunks_updated_date);
    const members = await unzip(archive);
    expect([...members.keys()]).toEqual(['000000.jpeg', '000001.jpeg']);
    expect(await redOf(members.get('000001.jpeg') ?? Buffer.alloc(0))).toBeCloseTo(60, -1);
    const slash = await bytes(`/api/tasks/${task.id}/data/?type=chunk&number=1`);
    expect(Buffer.compare(slash, archive)).toBe(0);
    const last = await unzip(await bytes(`/api/tasks/${task.id}/data?type=chunk&number=3&quality=original`));
    expect([...last]).toEqual([['000000.jpg', task.files['img_06.jpg']]]);
  });

  it('chunks of a job, by number and by index', async () => {
    const byIndex = await unzip(await bytes(`/api/jobs/${jobs[1]}/data?type=chunk&index=1&quality=original`));
    expect([...byIndex.values()]).toEqual([task.files['img_04.jpg']]);
    const byNumber = await unzip(await bytes(`/api/jobs/${jobs[0]}/data?type=chunk&number=1&quality=original`));
    expect([...byNumber.values()]).toEqual([task.files['img_02.jpg']]);
  });

  it('frames and previews', async () => {
    const original = await get(`/api/tasks/${task.id}/data?type=frame&number=2&quality=original`);
    expect([original.headers['content-type'], original.body]).toEqual(['image/jpeg', task.files['img_02.jpg']]);
    const frame = await get(`/api/jobs/${jobs[1]}/data?type=frame&number=4`);
    expect(frame.headers['content-type']).toBe('image/jpeg');
    expect(await redOf(frame.body as Buffer)).toBeCloseTo(80, -1);
    for (const path of [`tasks/${task.id}/preview`, `tasks/${task.id}/data?type=preview`, `jobs/${jobs[0]}/preview`]) {
      const preview = await get(`/api/${path}`);
      expect(preview.headers['content-type']).toBe('image/jpeg');
      expect(await sharp(preview.body as Buffer).metadata()).toMatchObject({ width: 64, height: 48 });
    }
    expect(await redOf(await bytes(`/api/jobs/${jobs[2]}/preview`))).toBeCloseTo(80, -1);
  });

  describe('supports conditional requests', () => {
    const frame = (number: number, quality = 'original') =>
      `/api/tasks/${task.id}/data?type=frame&number=${number}&quality=${quality}`;
    const asked = (path: string, headers: Readonly<Record<string, string>>) =>
      owner.http.get(path).set(headers).responseType('blob');
    const content = (): Buffer => task.files['img_02.jpg'] ?? Buffer.alloc(0);

    it.each(['original', 'compressed'])('returns 304 for unchanged %s chunks, frames and previews', async (quality) => {
      for (const path of [
        frame(2, quality),
        `/api/tasks/${task.id}/data?type=chunk&number=0&quality=${quality}`,
        `/api/jobs/${jobs[1]}/data?type=chunk&index=0&quality=${quality}`,
        `/api/tasks/${task.id}/preview`,
      ]) {
        const { headers } = await get(path);
        const etag = headers['etag'] ?? '';
        expect(etag).toMatch(/^"[\w-]{27}"$/);
        const again = await asked(path, { 'If-None-Match': `"other", ${etag}` });
        expect([again.status, again.headers['etag'], (again.body as Buffer).length]).toEqual([304, etag, 0]);
        expect((await asked(path, { 'If-None-Match': '"other"' })).status).toBe(200);
      }
      expect((await get(frame(1))).headers['etag']).not.toBe((await get(frame(2))).headers['etag']);
    });

    it('returns a range of an original', async () => {
      const whole = await get(frame(2));
      const length = content().length;
      expect([whole.headers['accept-ranges'], whole.headers['content-length']]).toEqual(['bytes', String(length)]);
      for (const [range, start, end] of [
        ['bytes=0-99', 0, 99],
        [`bytes=${length - 10}-`, length - 10, length - 1],
        ['bytes=-7', length - 7, length - 1],
        [`bytes=5-${length + 100}`, 5, length - 1],
      ] as const) {
        const part = await asked(frame(2), { Range: range });
        expect(part.status).toBe(206);
        expect(part.headers).toMatchObject({
          'content-range': `bytes ${start}-${end}/${length}`,
          'content-length': String(end - start + 1),
          'content-type': 'image/jpeg',
          etag: whole.headers['etag'],
        });
        expect(part.body).toEqual(content().subarray(start, end + 1));
      }
      const path = `/api/jobs/${jobs[0]}/data?type=chunk&index=0&quality=original`;
      const chunk = await bytes(path);
      const part = await asked(path, { Range: 'bytes=4-30' });
      expect([part.status, part.headers['x-checksum']]).toEqual([206, expect.stringMatching(/^\d+$/)]);
      expect(part.body).toEqual(chunk.subarray(4, 31));
    });

    it('returns the whole original if the range does not apply', async () => {
      const etag = (await get(frame(2))).headers['etag'] ?? '';
      expect((await asked(frame(2), { Range: 'bytes=0-9', 'If-Range': etag })).status).toBe(206);
      for (const headers of [
        { Range: 'bytes=0-9', 'If-Range': '"other"' },
        { Range: 'bytes=0-9', 'If-Range': new Date().toUTCString() },
        { Range: 'bytes=0-1,4-5' },
        { Range: 'lines=0-9' },
        { Range: 'bytes' },
      ]) {
        const answer = await asked(frame(2), headers);
        expect([answer.status, answer.headers['content-range']]).toEqual([200, undefined]);
        expect(answer.body).toEqual(content());
      }
      const compressed = await asked(frame(2, 'compressed'), { Range: 'bytes=0-9' });
      expect([compressed.status, compressed.headers['accept-ranges']]).toEqual([200, undefined]);
      const head = await owner.http.head(frame(2)).set('Range', 'bytes=0-9');
      expect([head.status, head.headers['content-length']]).toEqual([200, String(content().length)]);
    });

    it('rejects a range without content', async () => {
      for (const range of [`bytes=${content().length}-`, 'bytes=-0']) {
        const { status, headers } = await asked(frame(2), { Range: range });
        expect([status, headers['content-range']]).toEqual([416, `bytes */${content().length}`]);
      }
      const etag = (await get(frame(2))).headers['etag'] ?? '';
      expect((await asked(frame(2), { Range: 'bytes=-0', 'If-None-Match': etag })).status).toBe(304);
    });
  });

  it('keeps the bytes and type of originals, and rotates rotated ones', async () => {
    const id = await givenTask(owner);
    const files = {
      'a.PNG': await imageFile({ format: 'png' }),
      'b.jpg': await imageFile({ orientation: 6 }),
      'c.webp': await imageFile({ format: 'webp' }),
    };
    await sendFiles(owner, id, files).expect(202);
    await processed(app, owner, id);
    const chunk = await unzip(await bytes(`/api/tasks/${id}/data?type=chunk&number=0&quality=original`));
    expect([...chunk.keys()]).toEqual(['000000.PNG', '000001.jpg', '000002.webp']);
    expect(chunk.get('000000.PNG')).toEqual(files['a.PNG']);
    expect(await sharp(chunk.get('000001.jpg')).metadata()).toMatchObject({ width: 48, height: 64 });
    for (const [number, type] of [[0, 'image/png'], [2, 'image/x-webp']]) {
      const frame = await get(`/api/tasks/${id}/data?type=frame&number=${number}&quality=original`);
      expect(frame.headers['content-type']).toBe(type);
    } // prettier-ignore
    const turned = await bytes(`/api/tasks/${id}/data?type=frame&number=1&quality=original`);
    expect(await sharp(turned).metadata()).toMatchObject({ width: 48, height: 64 });
  });

  it('context images', async () => {
    const id = await givenTask(owner);
    const files = await zipOf({
      'a.png': await imageFile({ format: 'png' }),
      'related_images/a_png/c1.png': await imageFile({ format: 'png' }),
      'related_images/a_png/c2.png': await imageFile({ format: 'png' }),
      'b.png': await imageFile({ format: 'png' }),
    });
    await sendFiles(owner, id, { 'all.zip': files }).expect(202);
    await processed(app, owner, id);
    const { body } = await owner.http.get(`/api/tasks/${id}/data/meta`);
    expect(body.frames).toMatchObject([
      { name: 'a.png', related_files: 2, has_related_context: true },
      { name: 'b.png', related_files: 0 },
    ]);
    const images = await unzip(await bytes(`/api/tasks/${id}/data?type=context_image&number=0`));
    expect([...images.keys()]).toEqual(['c1.png.jpg', 'c2.png.jpg']);
    const none = await get(`/api/tasks/${id}/data?type=context_image&number=1`);
    expect([none.status, (none.body as Buffer).length]).toEqual([404, 0]);
  });

  it('returns errors with the texts of the contract', async () => {
    const cases: [string, unknown][] = [
      [`tasks/${task.id}/data`, ['Data type not specified or has wrong value']],
      [`tasks/${task.id}/data?type=frame&number=1&quality=x`, ['Wrong quality value']],
      [`tasks/${task.id}/data?type=chunk`, ['Number is not specified']],
      [
        `tasks/${task.id}/data?type=chunk&number=4`,
        "Invalid chunk number '4'. The chunk number should be in the [0, 3] range",
      ],
      [
        `tasks/${task.id}/data?type=chunk&number=-1`,
        "Invalid chunk number '-1'. The chunk number should be in the [0, 3] range",
      ],
      [
        `tasks/${task.id}/data?type=frame&number=99`,
        "Invalid frame '99'. The frame number should be in the [0, 7] range",
      ],
      [
        `tasks/${task.id}/data?type=context_image&number=7`,
        "Invalid frame '7'. The frame number should be in the [0, 7] range",
      ],
      [
        `tasks/${task.id}/data?type=frame&number=99999999999`,
        "Invalid frame '99999999999'. The frame number should be in the [0, 7] range",
      ],
      [`jobs/${jobs[1]}/data?type=chunk`, ['Number or Index is not specified']],
      [`jobs/${jobs[1]}/data?type=chunk&number=1&index=0`, ['Number and Index cannot be used together']],
      [
        `jobs/${jobs[1]}/data?type=chunk&number=0`,
        ["Invalid chunk number '0'. The chunk number should be in the [1, 2] range"],
      ],
      [
        `jobs/${jobs[1]}/data?type=chunk&index=2`,
        ["Invalid chunk number '2'. The chunk number should be in the [0, 1] range"],
      ],
      [`jobs/${jobs[1]}/data?type=frame&number=0`, 'Incorrect requested frame number: 0'],
    ];
    for (const [path, body] of cases) {
      const answer = await owner.http.get(`/api/${path}`);
      expect([path, answer.status, answer.body]).toEqual([path, 400, body]);
    }
  });

  it('returns nothing before there are data', async () => {
    const id = await givenTask(owner);
    await owner.http.get(`/api/tasks/${id}/preview`).expect(404, 'Task image preview not found');
    await owner.http.get(`/api/tasks/${id}/preview`).set('Prefer', 'handling=empty').expect(204);
    await owner.http.get(`/api/tasks/${id}/data?type=chunk&number=0`).expect(400);
    await owner.http.get(`/api/tasks/${id}/data/meta`).expect(400);
    const status = await owner.http.get(`/api/tasks/${id}/status`);
    expect(status.body).toEqual({ state: 'Finished', message: '', progress: 0 });
    const project = await owner.http.post('/api/projects').send({ name: 'p' });
    await owner.http.get(`/api/projects/${project.body.id}/preview`).expect(404, 'Project image preview not found');
    await givenPhotos(app, owner, 1, { project_id: project.body.id });
    expect((await get(`/api/projects/${project.body.id}/preview`)).headers['content-type']).toBe('image/jpeg');
    await owner.http.post('/api/tasks').send({ name: 'no frames yet', project_id: project.body.id }).expect(201);
    expect((await get(`/api/projects/${project.body.id}/preview`)).headers['content-type']).toBe('image/jpeg');
  });

  it('rejects strangers and unknown ids', async () => {
    const stranger = await new Given(app).person();
    for (const path of [`tasks/${task.id}`, `jobs/${jobs[0]}`]) {
      for (const part of ['data?type=preview', 'data/meta', 'preview'])
        await stranger.http.get(`/api/${path}/${part}`).expect(403);
    }
    await owner.http.get('/api/tasks/0/data?type=preview').expect(404, '{"detail":"No Task matches the given query."}');
    await owner.http.get('/api/jobs/x/data/meta').expect(404, '{"detail":"Not found."}');
    await stranger.http.patch(`/api/tasks/${task.id}/data/meta`).send({ deleted_frames: [] }).expect(403);
  });

  it('deletes and restores frames, through the task and its jobs', async () => {
    const path = `/api/tasks/${task.id}/data/meta`;
    const before = (await recordedEvents(app)).length;
    const changed = await owner.http.patch(path).send({ deleted_frames: [6, 1] });
    expect(changed.body).toMatchObject({ size: 7, deleted_frames: [1, 6] });
    expect(await recordedEvents(app)).toHaveLength(before);
    const job = await owner.http.patch(`/api/jobs/${jobs[0]}/data/meta`).send({ deleted_frames: [2, 0, 0] });
    expect(job.body).toMatchObject({ size: 3, start_frame: 0, stop_frame: 2, deleted_frames: [0, 2] });
    expect((await owner.http.get(path)).body.deleted_frames).toEqual([0, 2, 6]);
    expect((await recordedEvents(app)).slice(before)).toEqual([{ name: 'update:task', before: ['updated_date'] }]);
    for (const [url, frames, body] of [
      [path, [99], ['Unknown frames 99 requested for removal']],
      [path, [1, 1], ['Deleted frames cannot repeat']],
      [path, [0, 1, 2, 3, 4, 5, 6, 6], { deleted_frames: ['Ensure this field has no more than 7 elements.'] }],
      [path, [-1], { deleted_frames: { 0: ['Ensure this value is greater than or equal to 0.'] } }],
      [`/api/jobs/${jobs[1]}/data/meta`, [0], ['Frames 0 do not belong to the job']],
    ] as const) {
      const refused = await owner.http.patch(url).send({ deleted_frames: frames });
      expect([refused.status, refused.body]).toEqual([400, body]);
    }
    await owner.http.patch(path).send({}).expect(400, '{"deleted_frames":["This field is required."]}');
    await owner.http.patch(path).send({ deleted_frames: [] }).expect(200);
  });

  it('updates the dates of the task and its jobs when frames are deleted', async () => {
    const dates = async (): Promise<number[]> => {
      const answer = await owner.http.get(`/api/jobs?task_id=${task.id}`);
      const rows = [(await owner.http.get(`/api/tasks/${task.id}`)).body, ...answer.body.results];
      return rows.map((row: { updated_date: string }) => Date.parse(row.updated_date));
    };
    let last = Math.max(...(await dates()));
    for (const path of [`/api/tasks/${task.id}/data/meta`, `/api/jobs/${jobs[0]}/data/meta`]) {
      await owner.http
        .patch(path)
        .send({ deleted_frames: [1] })
        .expect(200);
      const moved = await dates();
      expect([moved.length, new Set(moved).size]).toEqual([jobs.length + 1, 1]);
      expect(moved[0]).toBeGreaterThan(last);
      last = moved[0] ?? NaN;
      await owner.http.patch(path).send({ deleted_frames: [] }).expect(200);
    }
  });

  it('has placeholders in a ground truth job for frames of other jobs', async () => {
    const made = await owner.http
      .post('/api/jobs')
      .send({ task_id: task.id, type: 'ground_truth', frame_selection_method: 'manual', frames: [1, 4] });
    expect(made.status).toBe(201);
    const path = `/api/jobs/${made.body.id}/data`;
    const { body } = await owner.http.get(`${path}/meta`);
    expect(body).toMatchObject({ size: 2, included_frames: [1, 4], start_frame: 0, stop_frame: 6 });
    expect((body.frames as { name: string }[]).map(({ name }) => name)).toEqual([
      'placeholder.jpg', 'img_01.jpg', 'placeholder.jpg', 'placeholder.jpg', 'img_04.jpg', 'placeholder.jpg', 'placeholder.jpg',
    ]); // prettier-ignore
    const own = await unzip(await bytes(`${path}?type=chunk&index=0&quality=original`));
    expect([...own.values()]).toEqual([task.files['img_01.jpg'], task.files['img_04.jpg']]);
    const cut = await unzip(await bytes(`${path}?type=chunk&number=0`));
    expect(await sharp(cut.get('000000.jpeg')).metadata()).toMatchObject({ width: 1, height: 1 });
    const disabled = await owner.http.patch(`${path}/meta`).send({ deleted_frames: [4] });
    expect(disabled.body.deleted_frames).toEqual([4]);
    expect((await owner.http.get(`/api/tasks/${task.id}/data/meta`)).body.deleted_frames).toEqual([]);
    await owner.http.delete(`/api/jobs/${made.body.id}`).expect(204);
  });

  it('has only JPEGs in the chunks of a ground truth job, even for originals of other formats', async () => {
    const id = await givenTask(owner);
    const photo = await imageFile({ red: 200 });
    const files = {
      'a.png': await sharp(photo).png().toBuffer(),
      'b.jpg': photo,
      'c.PNG': await sharp(photo).png().toBuffer(),
    };
    await sendFiles(owner, id, files).expect(202);
    await processed(app, owner, id);
    const made = await owner.http
      .post('/api/jobs')
      .send({ task_id: id, type: 'ground_truth', frame_selection_method: 'manual', frames: [0, 1] });
    expect(made.status).toBe(201);
    const path = `/api/jobs/${made.body.id}/data`;
    for (const [query, count] of [
      ['number=0', 3],
      ['index=0', 2],
    ] as const) {
      const chunk = await unzip(await bytes(`${path}?type=chunk&${query}&quality=original`));
      expect([...chunk.keys()]).toEqual(['000000.jpeg', '000001.jpeg', '000002.jpeg'].slice(0, count));
      const formats = await Promise.all(
        [...chunk.values()].map(async (image) => (await sharp(image).metadata()).format),
      );
      expect(new Set(formats)).toEqual(new Set(['jpeg']));
      expect(chunk.get('000001.jpeg')).toEqual(photo);
    }
    const own = await unzip(await bytes(`/api/tasks/${id}/data?type=chunk&number=0&quality=original`));
    expect([...own.keys()]).toEqual(['000000.png', '000001.jpg', '000002.PNG']);
  });

  it('returns 400 with the name of a broken or missing file', async () => {
    const { id } = await givenPhotos(app, owner, 2);
    const { data } = (await owner.http.get(`/api/tasks/${id}`)).body as { data: number };
    const raw = join(app.config.dataDir, 'media', String(data), 'raw');
    await writeFile(join(raw, 'img_00.jpg'), 'broken');
    const chunk = await owner.http.get(`/api/tasks/${id}/data?type=chunk&number=0`);
    expect([chunk.status, chunk.body]).toEqual([
      400,
      "PIL.UnidentifiedImageError: cannot identify image file 'img_00.jpg'",
    ]);
    await rm(join(raw, 'img_01.jpg'));
    const frame = await owner.http.get(`/api/tasks/${id}/data?type=frame&number=1&quality=original`);
    expect([frame.status, frame.body]).toEqual([
      400,
      "FileNotFoundError: [Errno 2] No such file or directory: 'img_01.jpg'",
    ]);
  });

  it.each([
    'data?type=chunk&number=0',
    'data?type=chunk&number=0&quality=original',
    'data?type=frame&number=0',
    'preview',
  ])('returns 404 for %s of a task that is deleted in the meantime', async (path) => {
    const { id } = await givenPhotos(app, owner, 2);
    const { data } = (await owner.http.get(`/api/tasks/${id}`)).body as { data: number };
    await app.db.query(sql`delete from media_frame where data_id = ${data}`);
    const answer = await owner.http.get(`/api/tasks/${id}/${path}`);
    expect([answer.status, answer.body]).toEqual([404, { detail: 'No Task matches the given query.' }]);
  });

  it('deletes files and chunks with their task', async () => {
    const { id } = await givenPhotos(app, owner, 2);
    const { data } = (await owner.http.get(`/api/tasks/${id}`)).body as { data: number };
    await bytes(`/api/tasks/${id}/data?type=chunk&number=0`);
    const folder = (name: string): string => join(app.config.dataDir, name);
    const chunks = async (): Promise<string[]> =>
      (await readdir(folder('cache/chunks'))).filter((name) => name.startsWith(`${data}%2F`));
    expect(await readdir(folder('media'))).toContain(String(data));
    expect(await chunks()).toHaveLength(1);
    await owner.http.delete(`/api/tasks/${id}`).expect(204);
    await app.app.get(MediaHousekeeping).tidy();
    while ((await readdir(folder('media'))).includes(String(data)));
    expect(await chunks()).toEqual([]);
  });
});
