import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';

describe('rejected annotations', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let task: Annotatable;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
    task = await givenAnnotatable(app, owner);
    await owner.http.put(task.ofJob()).send({ shapes: [rectangle(task.labels.car, 0)] });
  });

  afterAll(() => app.close());

  /** `CAR`, `PARKED`, … stand for ids that are only known at run time. */
  const filled = (body: unknown): unknown =>
    JSON.parse(
      JSON.stringify(body)
        .replaceAll('"CAR"', String(task.labels.car))
        .replaceAll('"DOG"', String(task.labels.dog))
        .replaceAll('"PERSON"', String(task.labels.person))
        .replaceAll('"HEAD"', String(task.joints[0]))
        .replaceAll('"PARKED"', String(task.attributes.parked))
        .replaceAll('"MAKE"', String(task.attributes.make)),
    );

  const box = { type: 'rectangle', frame: 0, label_id: 'CAR', points: [1, 2, 3, 4], attributes: [] };
  const track = { frame: 0, label_id: 'CAR', attributes: [], shapes: [] };
  const joint = { type: 'points', frame: 0, label_id: 'HEAD', points: [1, 2] };
  const skeleton = { type: 'skeleton', frame: 0, label_id: 'PERSON', elements: [joint] };
  const key = { type: 'rectangle', frame: 0, points: [1, 2, 3, 4], attributes: [] };

  it.each([
    ['too few points', { shapes: [{ ...box, points: [1, 2, 3] }] }, { shapes: [{ points: ["invalid length for shape type 'rectangle'"] }] }],
    ['an unknown label', { shapes: [{ ...box, label_id: 999999 }] }, ['label_id `999999` is invalid']],
    ['an unknown type', { shapes: [{ ...box, type: 'zz' }] }, { shapes: [{ type: ['"zz" is not a valid choice.'] }] }],
    ['a negative frame', { shapes: [{ ...box, frame: -1 }] }, { shapes: [{ frame: ['Ensure this value is greater than or equal to 0.'] }] }],
    ['no frame', { shapes: [{ type: 'rectangle', label_id: 'CAR' }] }, { shapes: [{ frame: ['This field is required.'] }] }],
    ['an id', { shapes: [box, { ...box, id: 5 }] }, { shapes: [{}, { id: ['must be absent'] }] }],
    ['a text among points', { shapes: [{ ...box, points: [1, 2, 'x', 4] }] }, { shapes: [{ points: { 2: "[ErrorDetail(string='Value must be a float or an integer', code='invalid')]" } }] }],
    ['no points at all', { shapes: [{ ...box, points: null }] }, { shapes: [{ points: ['This field may not be null.'] }] }],
    ['a skeleton without elements', { shapes: [{ ...box, type: 'skeleton', points: [], label_id: 'PERSON' }] }, { shapes: [{ elements: ['at least one required for skeleton shape'] }] }],
    ['an attribute of another label', { tags: [{ frame: 0, label_id: 'DOG', attributes: [{ spec_id: 'PARKED', value: 'x' }] }] }, /spec_id `\d+` is invalid/],
    ['a mutable attribute of a track', { tracks: [{ ...track, attributes: [{ spec_id: 'PARKED', value: 'x' }] }] }, /spec_id `\d+` is invalid/],
    ['an immutable attribute of a keyframe', { tracks: [{ ...track, shapes: [{ ...key, attributes: [{ spec_id: 'MAKE', value: 'x' }] }] }] }, /spec_id `\d+` is invalid/],
    ['a wrong keyframe', { tracks: [{ ...track, shapes: [key, { ...key, points: [1] }] }] }, { tracks: [{ shapes: [{}, { points: ["invalid length for shape type 'rectangle'"] }] }] }],
    ['an element that is none of the skeleton', { shapes: [{ ...skeleton, elements: [{ ...joint, label_id: 'CAR' }] }] }, /^shapes\[0\]\.elements\[0\]: label_id `\d+` is not an element of the skeleton label `\d+`$/],
    ['an element of another skeleton of a track', { tracks: [{ ...track, label_id: 'PERSON', elements: [{ ...track, label_id: 'DOG' }] }] }, /^tracks\[0\]\.elements\[0\]: /],
    ['a skeleton within a skeleton', { shapes: [{ ...skeleton, elements: [{ ...joint, type: 'skeleton', points: [] }] }] }, { shapes: [{ elements: [{ type: ['An element of a skeleton cannot be a skeleton.'] }] }] }],
    ['run lengths that do not add up', { shapes: [box, { ...box, type: 'mask', points: [1, 2, 0, 0, 3, 0] }] }, { shapes: [{}, { points: ['mask runs add up to 3 pixels, its box has 4'] }] }],
    ['a list', [], { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
    ['shapes that are no list', { shapes: {} }, { shapes: { non_field_errors: ['Expected a list of items but got type "dict".'] } }],
    ['a source that is too long', { shapes: [{ ...box, source: 'x'.repeat(17) }] }, { shapes: [{ source: ['Ensure this field has no more than 16 characters.'] }] }],
  ])('names %s', async (_name, body, expected) => {
    const answer = await owner.http.put(task.ofJob()).send(filled(body) as object);
    expect(answer.status).toBe(400);
    if (expected instanceof RegExp) expect(answer.body[0]).toMatch(expected);
    else expect(answer.body).toEqual(expected);
    expect((await owner.http.get(task.ofJob())).body.shapes).toHaveLength(1);
  }); // prettier-ignore

  it('delete requires ids', async () => {
    const answer = await owner.http
      .patch(`${task.ofJob()}?action=delete`)
      .send({ shapes: [rectangle(task.labels.car, 0)] });
    expect([answer.status, answer.body]).toEqual([400, { shapes: [{ id: ['must be present and not null'] }] }]);
  });

  it.each(['', '?action=', '?action=merge', '?action=create&action=update'])('PATCH%s has no action', async (query) => {
    const answer = await owner.http.patch(`${task.ofJob()}${query}`).send({});
    expect([answer.status, answer.body]).toEqual([400, ["Please specify a correct 'action' for the request"]]);
  });

  it.each(['format=CVAT', 'filename=x', 'action=download', 'location=local', 'cloud_storage_id=1'])(
    'GET?%s names the current endpoint for exports',
    async (query) => {
      for (const [path, kind] of [[task.ofJob(), 'jobs'], [task.ofTask, 'tasks']] as const) {
        const answer = await owner.http.get(`${path}?${query}`);
        expect(answer.status).toBe(410);
        expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
        expect(answer.text).toMatch('This endpoint is no longer supported.\nTo initiate the export process, use POST ');
        expect(answer.text).toMatch(`/api/${kind}/id/dataset/export?save_images=False`);
      }
    },
  ); // prettier-ignore

  it.each(['format=CVAT', 'rq_id=x'])('PUT?%s names the current endpoint for requests', async (query) => {
    const answer = await owner.http.put(`${task.ofTask}?${query}`).send({});
    expect(answer.status).toBe(410);
    expect(answer.text).toMatch('This endpoint no longer supports checking the status of the import process.');
  });

  it('a task without data has no annotations', async () => {
    const { id } = (await owner.http.post('/api/tasks').send({ name: 'empty', labels: [{ name: 'car' }] })).body;
    const path = `/api/tasks/${id}/annotations`;
    const read = await owner.http.get(path);
    expect([read.status, read.text]).toEqual([400, 'Exporting annotations from a task without data is not allowed']);
    const written = await owner.http.put(path).send({});
    expect([written.status, written.body]).toEqual([400, ['Saving annotations to a task without data is not allowed']]);
    expect((await owner.http.delete(path)).status).toBe(204);
  });

  it('unknown and foreign objects are hidden before the request is checked', async () => {
    const stranger = await given.person();
    for (const path of [task.ofJob(), task.ofTask]) {
      expect((await app.http.get(path)).status).toBe(401);
      const answers = await Promise.all([
        stranger.http.get(`${path}?format=x`),
        stranger.http.put(path).send({ shapes: 5 }),
        stranger.http.patch(path).send({}),
        stranger.http.delete(path),
      ]);
      const denied = { detail: 'You do not have permission to perform this action.' };
      for (const answer of answers) expect([answer.status, answer.body]).toEqual([403, denied]);
    }
    const unknown = await owner.http.get('/api/jobs/999999/annotations');
    expect([unknown.status, unknown.body]).toEqual([404, { detail: 'No Job matches the given query.' }]);
    expect((await owner.http.put('/api/tasks/999999/annotations').send({})).body).toEqual({
      detail: 'No Task matches the given query.',
    });
    expect((await owner.http.post(task.ofJob()).send({})).body).toEqual(["Unknown input format ''"]);
  });

  it('the assignee of the job can write the job, but not the task', async () => {
    const worker = await given.person({ groups: ['worker'] });
    await app.db.query(sql`update job set assignee_id = ${worker.id} where id = ${task.jobs[0]}`);
    expect((await worker.http.patch(`${task.ofJob()}?action=create`).send({})).status).toBe(200);
    expect((await worker.http.get(task.ofTask)).status).toBe(403);
    await app.db.query(sql`update job set assignee_id = null where id = ${task.jobs[0]}`);
  });

  it('deep nesting, and the first thousand of many errors, are reported', async () => {
    const deep = `{"shapes":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const nested = await owner.http.put(task.ofJob()).set('Content-Type', 'application/json').send(deep);
    expect(nested.status).toBe(400);
    expect(nested.body.shapes[0]).toHaveProperty('non_field_errors');
    const many = await owner.http.put(task.ofJob()).send({ shapes: Array.from({ length: 100_000 }, () => ({})) });
    expect(many.status).toBe(400);
    expect(many.body.shapes).toHaveLength(1_000);
    expect((await owner.http.get(task.ofJob())).body.shapes).toHaveLength(1);
  });

  it.each([
    ['1e999', 400, { shapes: [{ points: { 0: expect.stringContaining('finite') } }] }],
    ['1.7e308', 400, { shapes: [{ points: { 0: expect.stringContaining('from -1000000000000000 to') } }] }],
    ['NaN', 400, { detail: expect.stringContaining('JSON parse error') }],
    ['-Infinity', 400, { detail: expect.stringContaining('JSON parse error') }],
  ])('%s is not a coordinate', async (number, status, body) => {
    const text = `{"shapes":[{"type":"rectangle","frame":0,"label_id":${task.labels.car},"points":[${number},2,3,4]}]}`;
    const answer = await owner.http.put(task.ofJob()).set('Content-Type', 'application/json').send(text);
    expect([answer.status, answer.body]).toEqual([status, body]);
  });

  const polygon = (points: string) => `{"type":"polygon","frame":0,"label_id":${task.labels.car},"points":[${points}]}`;

  it('an error at the end of fifty megabytes is reported', async () => {
    const good = `${polygon(`${'1.25,'.repeat(999_999)}1`)},`.repeat(10);
    const text = `{"shapes":[${good}${polygon('1,2,"x"')}]}`;
    const answer = await owner.http.put(task.ofJob()).set('Content-Type', 'application/json').send(text);
    expect([answer.status, answer.body.shapes.length]).toEqual([400, 11]);
    expect(Object.keys(answer.body.shapes[10].points)).toEqual(['2']);
    expect((await owner.http.get(task.ofJob())).body.shapes).toHaveLength(1);
  });

  it('fifty megabytes of errors are reported only in part', async () => {
    const text = `{"shapes":[${polygon(`${'"x",'.repeat(1_000_000)}1`)}${`,${polygon(`${'"x",'.repeat(1_000_000)}1`)}`.repeat(12)}]}`;
    const answer = await owner.http.put(task.ofJob()).set('Content-Type', 'application/json').send(text);
    expect([answer.status, Object.keys(answer.body.shapes[0].points).length]).toEqual([400, 1_000]);
    expect((await owner.http.get(task.ofJob())).body.shapes).toHaveLength(1);
  });

  it('a list of more than ten million elements is not read', async () => {
    const text = `{"shapes":[${polygon(`${'1,'.repeat(11_000_000)}1`)}]}`;
    const answer = await owner.http.put(task.ofJob()).set('Content-Type', 'application/json').send(text);
    const detail = 'JSON parse error - A list has more than 10000000 elements.';
    expect([answer.status, answer.body]).toEqual([400, { detail }]);
    expect((await owner.http.get(task.ofJob())).body.shapes).toHaveLength(1);
  });

  it.each([
    ['{},', 'The text consists mostly of brackets.'],
    ['[],', 'The text consists mostly of brackets.'],
    ['[', 'Values are nested more than 1000 levels deep.'],
  ])('fifty megabytes of %s are not read', async (piece, fault) => {
    const text = `{"shapes":[${piece.repeat(50_000_000 / piece.length)}`;
    const answer = await owner.http.put(task.ofJob()).set('Content-Type', 'application/json').send(text);
    expect([answer.status, answer.body]).toEqual([400, { detail: `JSON parse error - ${fault}` }]);
  });

  it('a body that is not UTF-8 is rejected', async () => {
    const send = owner.http.put(task.ofJob()).set('Content-Type', 'application/json');
    const answer = await send.serialize((body: Buffer) => body as never).send(Buffer.from('7b22ff223a317d', 'hex'));
    expect([answer.status, answer.body]).toEqual([400, { detail: 'JSON parse error - The body is not UTF-8.' }]);
    expect((await owner.http.get(task.ofJob())).body.shapes).toHaveLength(1);
  });

  it('a malformed body and one of another type are rejected', async () => {
    const broken = await owner.http.put(task.ofJob()).set('Content-Type', 'application/json').send('{"shapes":[{');
    expect([broken.status, broken.body.detail]).toEqual([400, expect.stringContaining('JSON parse error')]);
    const text = await owner.http.put(task.ofJob()).set('Content-Type', 'text/plain').send('x');
    expect(text.status).toBe(415);
  });
});

describe('annotations beyond the limits', () => {
  it('are rejected by their size', async () => {
    const app = await createTestApp({ env: { MAX_ANNOTATION_BYTES: '1M' } });
    try {
      const owner = await new Given(app).person();
      const task = await givenAnnotatable(app, owner);
      const shapes = Array.from({ length: 20_000 }, () => rectangle(task.labels.car, 0));
      const answer = await owner.http.put(task.ofJob()).send({ shapes });
      expect([answer.status, answer.body]).toEqual([413, { detail: expect.stringContaining('1048576 bytes') }]);
      const small = await owner.http.put(task.ofJob()).send({ shapes: shapes.slice(0, 5000) });
      expect(small.status).toBe(200);
      const read = await owner.http.get(task.ofJob()).set('Accept-Encoding', 'gzip');
      expect(read.headers['content-encoding']).toBe('gzip');
      expect(read.body.shapes).toHaveLength(5000);
    } finally {
      await app.close();
    }
  });

  it('are rejected if a small compressed body unpacks to far more', async () => {
    const app = await createTestApp();
    try {
      const [owner, stranger] = [await new Given(app).person(), await new Given(app).person()];
      const task = await givenAnnotatable(app, owner);
      const body = gzipSync(`{"shapes":[${'1,'.repeat(2_000_000)}1]}`);
      const put = (person: typeof owner) =>
        person.http
          .put(task.ofJob())
          .set({ 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
          .serialize((sent: unknown) => sent as string)
          .send(body as unknown as string);
      expect((await put(owner)).status).toBe(413);
      expect((await put(stranger)).status).toBe(403);
    } finally {
      await app.close();
    }
  });
});
