import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { CAR_DETECTOR, FunctionServer, ONE_CAR } from '../../support/function-server.js';
import { Given, type Person } from '../../support/given.js';
import { givenPhotos } from '../../support/given-media.js';

const LABELS = [
  { name: 'car', attributes: [{ name: 'make', mutable: true, input_type: 'select', default_value: 'a', values: ['a', 'b'] }] },
  { name: 'road', type: 'mask' },
  {
    name: 'person',
    type: 'skeleton',
    svg: '<circle data-label-name="head"></circle><circle data-label-name="foot"></circle>',
    sublabels: [{ name: 'head', type: 'points' }, { name: 'foot', type: 'points' }],
  },
]; // prettier-ignore

const EVERYTHING = {
  id: 'everything',
  type: 'detector',
  spec: [
    { name: 'car', type: 'any', attributes: [{ name: 'make', input_type: 'text', values: [] }] },
    { name: 'road', type: 'mask' },
    { name: 'person', type: 'skeleton', svg: '<svg/>', sublabels: [{ name: 'head' }, { name: 'foot' }] },
  ],
};

describe('calls of HTTP functions', () => {
  let server: FunctionServer;
  let app: TestApp;
  let owner: Person;
  let stranger: Person;
  let taskId: number;
  let jobId: number;
  let labels: Map<string, number>;

  beforeAll(async () => {
    server = await FunctionServer.start();
    app = await createTestApp({ env: { FUNCTIONS_URLS: server.url, FUNCTIONS_MAX_RESPONSE_BYTES: '100K' } });
    const given = new Given(app);
    [owner, stranger] = [await given.person(), await given.person()];
    server.add(CAR_DETECTOR, () => ONE_CAR);
    server.add(EVERYTHING, () => []);
    server.add({ id: 'clicks', type: 'interactor', min_pos_points: '2' }, () => ({
      mask: [[0, 1]],
      bounds: [3, 4, 4, 4],
    }));
    server.add({ id: 'follow', type: 'tracker', supported_shape_types: 'rectangle,polygon' }, ({ payload }) => ({
      shapes: [{ type: 'rectangle', points: [5, 6, 7, 8] }],
      states: [{ step: (payload['states'] as unknown[]).length }],
    }));
    server.add({ id: 'same', type: 'reid' }, () => [1, -1]);
    taskId = (await givenPhotos(app, owner, 3, { labels: LABELS, segment_size: 2 })).id;
    const [job] = await app.db.query<{ id: number }>(sql`select id from job where task_id = ${taskId} order by id`);
    jobId = job?.id ?? 0;
    const rows = await app.db.query<{ id: number; name: string }>(sql`
      select id, name from label where task_id = ${taskId}`);
    labels = new Map(rows.map(({ id, name }) => [name, id]));
  });
  beforeEach(() => {
    server.calls.length = 0;
  });
  afterAll(async () => {
    await app.close();
    await server.close();
  });

  const call = (id: string, body: object, person = owner) =>
    person.http.post(`/api/lambda/functions/${id}`).send({ task: taskId, ...body });

  it('return what a detector finds, with the labels of the task', async () => {
    const { status, body } = await call('cars', { frame: 1, threshold: 0.5, type: 'annotate_frame' });
    const car = { id: null, label_id: labels.get('car'), frame: 1, group: null, source: 'auto', attributes: [] };
    const shape = {
      type: 'rectangle',
      points: [1, 2, 30, 20],
      occluded: false,
      outside: false,
      z_order: 0,
      rotation: 0,
    };
    expect([status, body]).toEqual([
      200,
      { version: 0, tags: [], shapes: [{ ...car, ...shape, score: 0.75, elements: [] }], tracks: [] },
    ]);
    expect(server.calls[0]?.payload).toEqual({ image: expect.stringMatching(/^\/9j\//), threshold: 0.5 });
    expect((await owner.http.get(`/api/tasks/${taskId}/annotations`)).body.shapes).toEqual([]);
  });

  it('convert masks, attributes and skeletons', async () => {
    server.add(EVERYTHING, () => [
      { label: 'car', type: 'tag', attributes: [{ name: 'make', value: 'b' }] },
      { label: 'road', type: 'mask', mask: [0, 1, 1, 0, 10, 20, 11, 21] },
      { label: 'person', type: 'skeleton', elements: [{ label: 'head', type: 'points', points: [4, 6] }] },
      { label: 'unknown', type: 'rectangle', points: [0, 0, 1, 1] },
    ]);
    const { body } = await call('everything', { frame: 0 }).expect(200);
    const [make] = await app.db.query<{ id: number }>(sql`
      select id from attribute_spec where label_id = ${labels.get('car') ?? 0}`);
    expect(body.tags).toMatchObject([{ label_id: labels.get('car'), attributes: [{ spec_id: make?.id, value: 'b' }] }]);
    expect(body.shapes).toMatchObject([
      { label_id: labels.get('road'), type: 'mask', points: [1, 2, 1, 10, 20, 11, 21] },
      {
        type: 'skeleton',
        elements: [
          { label_id: labels.get('head'), points: [4, 6], outside: false },
          { label_id: labels.get('foot'), points: [4, 6], outside: true },
        ],
      },
    ]);
  });

  it('pass on the response of an interactor', async () => {
    const prompts = { pos_points: [[1, 2]], neg_points: [], obj_bbox: [[0, 0], [9, 9]] }; // prettier-ignore
    const { body } = await call('clicks', { frame: 0, job: jobId, ...prompts }).expect(200);
    expect(body).toEqual({ mask: [[0, 1]], bounds: [3, 4, 4, 4] });
    expect(server.calls[0]?.payload).toEqual({ image: expect.any(String), ...prompts });
  });

  it('see only a region of the frame, and return positions in the frame', async () => {
    const roi = [10, 4, 30, 20];
    const { body } = await call('cars', { frame: 0, roi }).expect(200);
    expect(body.shapes[0].points).toEqual([11, 6, 40, 24]);
    const { image } = server.calls[0]?.payload ?? {};
    expect(await sharp(Buffer.from(String(image), 'base64')).metadata()).toMatchObject({ width: 20, height: 16 });
    const clicked = await call('clicks', { frame: 0, roi, pos_points: [[15, 9]], neg_points: [] }).expect(200);
    expect(server.calls[1]?.payload).toMatchObject({ pos_points: [[5, 5]], obj_bbox: null });
    expect(clicked.body.bounds).toEqual([13, 8, 14, 8]);
    const outside = await call('cars', { frame: 0, roi: [0, 0, 9000, 10] });
    expect([outside.status, outside.body]).toEqual([400, expect.stringContaining('The region exceeds the image')]);
  });

  it('track shapes with signed states', async () => {
    const shapes = [{ type: 'rectangle', points: [1, 2, 3, 4] }];
    const first = await call('follow', { frame: 0, shapes }).expect(200);
    expect(server.calls[0]?.payload).toEqual({ image: expect.any(String), shapes, states: [] });
    const { states } = first.body as { states: string[] };
    const second = await call('follow', { frame: 1, states }).expect(200);
    expect(server.calls[1]?.payload).toEqual({ image: expect.any(String), shapes: [null], states: [{ step: 0 }] });
    expect(second.body).toEqual({
      shapes: [{ type: 'rectangle', points: [5, 6, 7, 8] }],
      states: [expect.any(String)],
    });
    const forged = states[0]?.replace('"step":0', '"step":9');
    const other = await givenPhotos(app, owner, 1);
    for (const refused of [
      await call('follow', { frame: 1, states: [forged] }),
      await call('follow', { frame: 0, task: other.id, states }),
    ])
      expect([refused.status, refused.body]).toEqual([400, 'Invalid or expired tracker state']);
  });

  it('match the boxes of two frames', async () => {
    const boxes = { boxes0: [{ points: [1, 2, 3, 4] }, { points: [5, 6, 7, 8] }], boxes1: [{}, {}] };
    const { body } = await call('same', { frame0: 0, frame1: 1, ...boxes, max_distance: 50 }).expect(200);
    expect(body).toEqual([1, -1]);
    expect(server.calls[0]?.payload).toMatchObject({ ...boxes, max_distance: 50 });
  });

  it('are logged', async () => {
    await call('cars', { frame: 1, job: jobId }).expect(200);
    const [row] = await app.db.query<{ payload: string; job_id: number; user_id: number }>(sql`
      select payload, job_id, user_id from logged_event where scope = 'call:function' order by event_time desc limit 1`);
    expect(row).toMatchObject({ job_id: jobId, user_id: owner.id });
    expect(JSON.parse(row?.payload ?? '')).toMatchObject({ function: { id: 'cars' }, category: 'interactive' });
  });

  const mapping = (value: unknown) => ({ frame: 0, mapping: value });
  it.each<[string, string, object, unknown]>([
    ['no target', 'cars', { task: undefined, frame: 0 }, "`cars` lambda function was run with wrong arguments ('task')"],
    ['an unknown task', 'cars', { task: 2_000_000_000, frame: 0 }, ['Task matching query does not exist.']],
    ['an unknown job', 'cars', { job: 2_000_000_000, frame: 0 }, ['Job matching query does not exist.']],
    ['no frame', 'cars', {}, '`cars` lambda function was called without mandatory argument: frame'],
    ['a frame of no task', 'cars', { frame: 99 }, [expect.stringContaining("Invalid frame '99'. ")]],
    ['no prompts', 'clicks', { frame: 0, pos_points: [] }, '`clicks` lambda function was called without mandatory argument: neg_points'],
    ['an unknown model label', 'cars', mapping({ cat: { name: 'car' } }), 'Invalid mapping. Unknown model label "cat"'],
    ['an unknown label', 'cars', mapping({ car: { name: 'cat' } }), 'Invalid mapping. Unknown db label "cat"'],
    ['labels of other types', 'cars', mapping({ car: { name: 'road' } }), 'Invalid mapping. Model label "car" and database label "road" are not compatible'],
    ['an unknown attribute', 'everything', mapping({ car: { name: 'car', attributes: { size: 'make' } } }), 'Invalid mapping. Unknown model attribute "size"'],
    ['no elements', 'everything', mapping({ person: { name: 'person' } }), 'Invalid mapping. Mapping for elements was not specified in skeleton "person" '],
    ['a shape that is not supported', 'follow', { frame: 0, shapes: [{ type: 'points', points: [1, 2] }] }, "This function does not support shapes of type 'points'"],
    ['a region beyond any image', 'cars', { frame: 0, roi: [0, 0, 1e308, 10] }, 'roi must be four integers: left, top, right, bottom'],
    ['a distance that is no number', 'same', { frame0: 0, frame1: 1, boxes0: [], boxes1: [], max_distance: 'far' }, 'max_distance must be a number'],
    ['a state that is no state', 'follow', { frame: 0, states: ['x'] }, 'Invalid or expired tracker state'],
  ])('are refused with %s', async (_, id, body, expected) => {
    const answer = await call(id, body);
    expect([answer.status, answer.body]).toEqual([400, expected]);
    expect(server.calls).toEqual([]);
  }); // prettier-ignore

  it('are refused with a frame outside the job', async () => {
    const answer = await call('cars', { job: jobId, frame: 2 });
    expect([answer.status, answer.body]).toEqual([400, 'The frame is outside the job range']);
  });

  it('need the permission to read the images', async () => {
    await call('cars', { frame: 0 }, stranger).expect(403);
    await owner.http.post('/api/lambda/functions/none').send({ task: taskId, frame: 0 }).expect(404);
    const long = await owner.http.post('/api/lambda/requests').send({ task: taskId, function: 'f'.repeat(100_000) });
    expect([long.status, long.body]).toEqual([404, `There is no function "${'f'.repeat(200)}…".`]);
    expect(server.calls).toEqual([]);
  });

  it.each<[string, unknown, number, string]>([
    ['fails', { status: 500, text: 'secret' }, 502, 'responded with status 500'],
    ['refuses the call', { status: 401, text: 'secret' }, 502, 'responded with status 401'],
    ['redirects', { status: 302, text: '' }, 502, 'responded with status 302'],
    ['does not send JSON', { status: 200, text: '<html>' }, 502, 'did not respond with JSON'],
    ['sends too much', ['x'.repeat(200_000)], 502, 'sent more than 102400 bytes'],
    ['ends too early', { status: 200, text: '[', isCut: true }, 502, 'ended its response early'],
    ['returns something else', { shapes: [] }, 400, 'returned an invalid result. The response must be a list of objects'],
    ['returns invalid shapes', [{ label: 'car', type: 'rectangle', points: [1] }], 400, "returned an invalid result. Object 0: invalid length for shape type 'rectangle'"],
  ])('explain that the function %s', async (_, result, status, what) => {
    server.add(CAR_DETECTOR, () => result);
    const answer = await call('cars', { frame: 0 });
    server.add(CAR_DETECTOR, () => ONE_CAR);
    expect([answer.status, answer.body]).toEqual([status, `The function "Car finder" ${what}.`]);
  }); // prettier-ignore

  it('explain that the function is too slow', async () => {
    const { databaseUrl: url, dataDir } = app.config;
    const impatient = await createTestApp({
      env: { FUNCTIONS_URLS: server.url, FUNCTIONS_TIMEOUT_MS: '400' },
      database: { url, drop: () => Promise.resolve() },
      dataDir,
    });
    server.add({ ...CAR_DETECTOR, id: 'slow' }, () => new Promise(() => undefined));
    try {
      const answer = await impatient.http
        .post('/api/lambda/functions/slow')
        .set('Authorization', `Token ${owner.token}`)
        .send({ task: taskId, frame: 0 });
      expect([answer.status, answer.body]).toEqual([
        504,
        'The function "Car finder" did not respond within 0.4 seconds.',
      ]);
    } finally {
      await impatient.close();
    }
  });
});
