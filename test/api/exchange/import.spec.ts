import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DatabaseUnavailable } from '../../../src/core/database/database-client.js';
import { UnitOfWork } from '../../../src/core/database/unit-of-work.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { rectangle } from '../../support/given-annotations.js';
import { exported, sendAnnotations, worked } from '../../support/given-exchange.js';
import { givenPhotos, givenTask } from '../../support/given-media.js';

const FORMAT = 'CVAT 1.1';

const xml = (image: string, label = 'car'): Buffer =>
  Buffer.from(`<?xml version="1.0"?><annotations><version>1.1</version>
    <image id="0" name="${image}" width="8" height="8">
      <box label="${label}" source="manual" occluded="0" xtl="1.00" ytl="2.00" xbr="5.00" ybr="6.50" z_order="0"></box>
    </image></annotations>`);

describe('imports', () => {
  let app: TestApp;
  let owner: Person;
  let other: Person;
  let task: number;
  let jobs: number[];
  let label: number;

  beforeAll(async () => {
    app = await createTestApp();
    const given = new Given(app);
    owner = await given.person();
    other = await given.person();
    task = (await givenPhotos(app, owner, 6, { segment_size: 3 })).id;
    const listed = await owner.http.get(`/api/jobs?task_id=${task}&sort=id`);
    jobs = listed.body.results.map(({ id }: { id: number }) => id);
    label = (await owner.http.get(`/api/labels?task_id=${task}`)).body.results[0].id;
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    await app.db.query(sql`delete from background_request`);
    await owner.http
      .put(`/api/tasks/${task}/annotations`)
      .send({ shapes: [rectangle(label, 5)] })
      .expect(200);
  });

  const shapes = async (): Promise<{ frame: number; type: string; points: number[]; source: string }[]> =>
    (await owner.http.get(`/api/tasks/${task}/annotations`)).body.shapes;
  const send = (object: string, content: Buffer, name = 'a.xml') =>
    sendAnnotations(owner, object, FORMAT, { name, content });
  const stored = async (): Promise<string[]> => {
    const folder = join(app.config.dataDir, 'imports');
    const lists = (await readdir(folder)).map((name) => readdir(join(folder, name)));
    return (await Promise.all(lists)).flat();
  };

  it('replace the annotations of a task', async () => {
    const sent = await send(`tasks/${task}`, xml('img_01.jpg'));
    const id = `action=import&target=task&target_id=${task}&subresource=annotations`;
    expect([sent.status, sent.body]).toEqual([202, { rq_id: id }]);
    const { body } = await worked(app, owner, id);
    expect(body).toMatchObject({
      status: 'finished',
      message: '',
      operation: { type: 'import:annotations', target: 'task', task_id: task, job_id: null, format: null },
    });
    expect(Date.parse(body.expiry_date) - Date.parse(body.finished_date)).toBe(3_600_000);
    expect(await shapes()).toMatchObject([{ frame: 1, points: [1, 2, 5, 6.5], source: 'manual' }]);
    expect(await stored()).toEqual([]);
  });

  it('append to existing annotations if requested', async () => {
    const file = { name: 'a.xml', content: xml('img_01.jpg') };
    const sent = await sendAnnotations(owner, `tasks/${task}`, FORMAT, file, { import_mode: 'append' });
    expect((await worked(app, owner, sent.body.rq_id)).body.status).toBe('finished');
    expect((await shapes()).map(({ frame }) => frame)).toEqual([1, 5]);
    const { results } = (await owner.http.get(`/api/tasks/${task}/annotations/revisions`)).body;
    expect(results[0]).toMatchObject({
      action: 'import',
      counts: { created: { shapes: 1 }, deleted: { shapes: 0 } },
    });
  });

  it.each([
    [
      'CVAT 1.1',
      'a.xml',
      `<?xml version="1.0"?><annotations><version>1.1</version><image id="0" name="img_05.jpg" width="8" height="8">
        ${[1, 1, 7].map((group) => `<tag label="car" source="manual" group_id="${group}"></tag>`).join('')}
      </image></annotations>`,
      [2, 2, 7],
    ],
    [
      'COCO 1.0',
      'a.json',
      JSON.stringify({
        images: [{ id: 1, file_name: 'img_05.jpg' }],
        categories: [{ id: 1, name: 'car' }],
        annotations: [{ image_id: 1, category_id: 1, segmentation: [[1, 1, 3, 1, 3, 3], [5, 5, 7, 5, 7, 7]] }],
      }),
      [2, 2],
    ],
  ])('of %s keep their groups apart from existing ones', async (format, name, content, expected) => {
    const there = { shapes: [{ ...rectangle(label, 5), group: 1 }] };
    await owner.http.put(`/api/tasks/${task}/annotations`).send(there).expect(200);
    const file = { name, content: Buffer.from(content) };
    const sent = await sendAnnotations(owner, `tasks/${task}`, format, file, { import_mode: 'append' });
    expect((await worked(app, owner, sent.body.rq_id)).body).toMatchObject({ status: 'finished', message: '' });
    const { body } = await owner.http.get(`/api/tasks/${task}/annotations`);
    const grouped: { group: number; source: string }[] = [...body.shapes, ...body.tags];
    const [first, ...imported] = grouped.map(({ group }) => group);
    expect([first, imported]).toEqual([1, expected]);
  }); // prettier-ignore

  it.each([
    [{}, ['polygon']],
    [{ conv_mask_to_poly: 'True' }, ['polygon']],
    [{ conv_mask_to_poly: 'false' }, ['mask']],
  ])('convert COCO masks to polygons unless disabled: %j', async (query, types) => {
    const { frames } = (await owner.http.get(`/api/tasks/${task}/data/meta`)).body;
    const { width, height } = frames[1];
    const content = JSON.stringify({
      images: [{ id: 1, file_name: 'img_01.jpg' }],
      categories: [{ id: 1, name: 'car' }],
      annotations: [
        {
          image_id: 1,
          category_id: 1,
          iscrowd: 1,
          segmentation: { size: [height, width], counts: [0, 2, height * width - 2] },
        },
      ],
    });
    const file = { name: 'a.json', content: Buffer.from(content) };
    const sent = await sendAnnotations(owner, `tasks/${task}`, 'COCO 1.0', file, query);
    expect((await worked(app, owner, sent.body.rq_id)).body).toMatchObject({ status: 'finished', message: '' });
    expect((await shapes()).map(({ type }) => type)).toEqual(types);
  });

  it('replace the annotations of one job only', async () => {
    const sent = await send(`jobs/${jobs[0]}`, xml('img_02.jpg'));
    expect(sent.body.rq_id).toBe(`action=import&target=job&target_id=${jobs[0]}&subresource=annotations`);
    expect((await worked(app, owner, sent.body.rq_id)).body.status).toBe('finished');
    expect((await shapes()).map(({ frame }) => frame)).toEqual([2, 5]);
  });

  it.each([
    ['COCO 1.0', 'COCO 1.0'],
    ['CVAT for images 1.1', FORMAT],
    ['YOLO 1.1', 'YOLO 1.1'],
  ])('read an export in %s', async (out, back) => {
    const before = await shapes();
    const file = await exported(app, owner, `tasks/${task}`, { format: out });
    await owner.http.delete(`/api/tasks/${task}/annotations`).expect(204);
    const sent = await sendAnnotations(owner, `tasks/${task}`, back, { name: 'a.zip', content: file.body as Buffer });
    expect((await worked(app, owner, sent.body.rq_id)).body).toMatchObject({ status: 'finished', message: '' });
    const after = await shapes();
    expect(after.map(({ frame }) => frame)).toEqual([5]);
    after[0]?.points.forEach((value, index) => expect(value).toBeCloseTo(before[0]?.points[index] ?? NaN, 3));
  });

  it.each([
    [
      'a frame that is not there',
      xml('missing.jpg'),
      'a.xml',
      "Could not match item id: 'missing' with any task frame",
    ],
    ['a label that is not there', xml('img_01.jpg', 'ship'), 'a.xml', 'ship'],
    ['a broken document', Buffer.from('<annotations><image'), 'a.xml', 'a.xml'],
    ['an archive that is none', Buffer.from('nothing'), 'a.zip', 'zipfile.BadZipFile: File is not a zip file'],
  ])('of %s fail and change nothing', async (_case, content, name, text) => {
    const sent = await send(`tasks/${task}`, content, name);
    const { body } = await worked(app, owner, sent.body.rq_id);
    expect(body.status).toBe('failed');
    expect(Date.parse(body.expiry_date) - Date.parse(body.finished_date)).toBe(30 * 86_400_000);
    expect(body.message).toContain(text);
    expect((await shapes()).map(({ frame }) => frame)).toEqual([5]);
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['COCO 1.0', 'a.json', '{"images":[{"id":1,"file_name":"img_01.jpg"}],"categories":[', 'a.json'],
    ['COCO 1.0', 'a.json', '{"images":[],"categories":[],"annotations":[{"image_id":7}]}', 'annotations[0]'],
    ['COCO 1.0', 'a.json', '[1, 2]', 'a.json'],
    [
      'CVAT 1.1',
      'a.xml',
      '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hostname">]><annotations>&e;</annotations>',
      'a.xml',
    ],
    ['CVAT 1.1', 'a.xml', '<coco></coco>', '<coco>'],
    ['YOLO 1.1', 'a.txt', '0 0.5 0.5 0.1 0.1', 'obj.names'],
  ])('of a malformed file in %s (%s: %s) fail with a message', async (format, name, content, text) => {
    const sent = await sendAnnotations(owner, `tasks/${task}`, format, { name, content: Buffer.from(content) });
    const { body } = await worked(app, owner, sent.body.rq_id);
    expect([body.status, body.message]).toEqual(['failed', expect.stringContaining(text)]);
    expect(body.message).not.toContain('hostname');
    expect((await shapes()).map(({ frame }) => frame)).toEqual([5]);
  });

  it('of a frame of another job fail', async () => {
    const sent = await send(`jobs/${jobs[0]}`, xml('img_05.jpg'));
    expect((await worked(app, owner, sent.body.rq_id)).body.message).toContain("Could not match item id: 'img_05'");
  });

  it('into a task without data fail', async () => {
    const sent = await send(`tasks/${await givenTask(owner)}`, xml('img_01.jpg'));
    expect((await worked(app, owner, sent.body.rq_id)).body).toMatchObject({ status: 'failed' });
  });

  it('keep their file if the connection to the database was lost after the commit', async () => {
    const work = app.app.get(UnitOfWork);
    const run = work.run.bind(work);
    const losing = jest.spyOn(work, 'run').mockImplementationOnce(async (change) => {
      await run(change);
      throw new DatabaseUnavailable(new Error('Connection terminated unexpectedly'));
    });
    expect((await send(`tasks/${task}`, xml('img_01.jpg'))).status).toBe(503);
    losing.mockRestore();
    const id = `action=import&target=task&target_id=${task}&subresource=annotations`;
    expect((await worked(app, owner, id)).body).toMatchObject({ status: 'finished' });
    expect(await stored()).toEqual([]);
  });

  it('run once at a time', async () => {
    const first = await send(`tasks/${task}`, xml('img_01.jpg'));
    const second = await send(`tasks/${task}`, xml('img_02.jpg'));
    expect([second.status, second.body]).toEqual([409, first.body]);
    await worked(app, owner, first.body.rq_id);
    expect(await stored()).toEqual([]);
  });

  it('reject invalid requests', async () => {
    const path = `/api/tasks/${task}/annotations`;
    const answers = [
      await owner.http.post(path),
      await owner.http.post(`${path}?format=CVAT XML 1.1`),
      await owner.http.post(`${path}?format=${FORMAT}`),
      await owner.http.post(`${path}?format=${FORMAT}&filename=a.xml`),
      await owner.http.post(`${path}?format=unknown&filename=a.xml`).set('Upload-Finish', ''),
      await owner.http.post(`${path}?format=${FORMAT}&location=cloud_storage`),
      await owner.http.post(`${path}?format=${FORMAT}`).field('annotation_file', 'text'),
      await owner.http.post(`${path}?format=${FORMAT}&import_mode=merge`),
      await owner.http.post(`${path}?format=${FORMAT}&conv_mask_to_poly=maybe`),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [400, ["Unknown input format ''"]],
      [400, ["Unknown input format 'CVAT XML 1.1'"]],
      [400, { annotation_file: ['No file was submitted.'] }],
      [400, ['No such file were uploaded']],
      [400, ['No such file were uploaded']],
      [400, ['The filename was not specified']],
      [400, { annotation_file: ['No file was submitted.'] }],
      [400, ["Invalid import_mode='merge'. Allowed: replace, append"]],
      [400, ["'conv_mask_to_poly' must be true or false"]],
    ]);
  });

  it.each(['tasks', 'jobs'])('into %s require permission to update them', async (kind) => {
    const id = kind === 'tasks' ? task : jobs[0];
    expect((await sendAnnotations(other, `${kind}/${id}`, FORMAT, { name: 'a', content: xml('x') })).status).toBe(403);
    expect((await other.http.post(`/api/${kind}/${id}/annotations/`).set('Upload-Start', '')).status).toBe(403);
    expect((await other.http.head(`/api/${kind}/${id}/annotations/${other.id}_${NOBODY}`)).status).toBe(403);
  });

  describe('in chunks', () => {
    const path = (): string => `/api/jobs/${jobs[0]}/annotations/`;
    const announce = async (length: number, name = 'pieces.xml'): Promise<string> => {
      const metadata = `filename ${Buffer.from(name).toString('base64')}`;
      const created = await owner.http
        .post(path())
        .set('Upload-Length', String(length))
        .set('Upload-Metadata', metadata);
      expect([created.status, created.headers['location']]).toEqual([
        201,
        expect.stringMatching(`/${created.headers['upload-filename']}$`),
      ]);
      return new URL(created.headers['location'] ?? '').pathname;
    };
    const piece = (to: string, offset: number, data: Buffer) =>
      owner.http
        .patch(to)
        .set('Upload-Offset', String(offset))
        .set('Content-Type', 'application/offset+octet-stream')
        .send(data);
    const finish = (filename = 'pieces.xml') =>
      owner.http.post(path()).query({ format: FORMAT, filename }).set('Upload-Finish', '');

    it('are joined', async () => {
      const file = xml('img_00.jpg');
      expect((await owner.http.post(path()).set('Upload-Start', '')).status).toBe(202);
      const to = await announce(file.length);
      expect((await piece(to, 0, file.subarray(0, 50))).headers['upload-offset']).toBe('50');
      expect((await finish()).body).toEqual(['No such file were uploaded']);
      expect((await piece(to, 0, file)).status).toBe(409);
      const { headers } = await owner.http.head(to);
      expect([headers['upload-offset'], headers['upload-length']]).toEqual(['50', String(file.length)]);
      expect((await piece(to, 50, file.subarray(50))).status).toBe(204);
      const finished = await finish();
      expect(finished.status).toBe(202);
      expect((await worked(app, owner, finished.body.rq_id)).body.status).toBe('finished');
      expect((await shapes()).map(({ frame }) => frame)).toEqual([0, 5]);
      expect(await stored()).toEqual([]);
    });

    it('are found by the id in Upload-Filename, which every client can send whatever the name of the file', async () => {
      const file = xml('img_00.jpg');
      const to = await announce(file.length, 'аннотации.xml');
      await piece(to, 0, file);
      const finished = await finish(to.split('/').at(-1));
      expect((await worked(app, owner, finished.body.rq_id)).body.status).toBe('finished');
    });

    it('are not found by the id of somebody else', async () => {
      const file = xml('img_00.jpg');
      const to = await announce(file.length);
      await piece(to, 0, file);
      const id = (to.split('/').at(-1) ?? '').replace(`${owner.id}_`, `${other.id}_`);
      expect((await finish(id)).body).toEqual(['No such file were uploaded']);
    });

    it('belong to their sender and their object', async () => {
      const to = await announce(10);
      expect((await owner.http.head(to.replace(`/jobs/${jobs[0]}/`, `/jobs/${jobs[1]}/`))).status).toBe(404);
      expect((await owner.http.head(to.replace(`${owner.id}_`, `${other.id}_`))).status).toBe(403);
      expect((await owner.http.head(`${path()}nonsense`)).status).toBe(404);
      expect((await owner.http.options(path())).headers['tus-resumable']).toBe('1.0.0');
    });
  });
});

const NOBODY = '00000000-0000-4000-8000-000000000000';
