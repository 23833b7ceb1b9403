import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { CAR_DETECTOR, FunctionServer, ONE_CAR } from '../../support/function-server.js';
import { Given, type Person } from '../../support/given.js';
import { givenPhotos } from '../../support/given-media.js';

const CARS = {
  id: 'cars',
  kind: 'detector',
  labels_v2: [{ name: 'car', type: 'rectangle', attributes: [] }],
  description: '',
  name: 'Car finder',
  version: 1,
  provider: 'cvat',
};

describe('HTTP functions', () => {
  let server: FunctionServer;
  let apps: TestApp[] = [];

  beforeAll(async () => {
    server = await FunctionServer.start();
    server.add(CAR_DETECTOR, () => ONE_CAR);
    server.add(
      { id: 'clicks', type: 'interactor', version: 2, startswith_box: 'false', help_message: 'Click' },
      () => 0,
    );
    server.add({ id: 'follow', type: 'tracker' }, () => 0);
    server.add({ id: '7', type: 'reid' }, () => 0); // ids of digits belong to functions of agents
    server.add({ id: 'twice', type: 'detector', spec: [{ name: 'a' }, { name: 'a' }] }, () => 0);
    server.add({ id: 'other', type: 'classifier' }, () => 0);
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await server.close();
  });

  async function given(env: Record<string, string>): Promise<{ app: TestApp; person: Person }> {
    const app = await createTestApp({ env });
    apps = [...apps, app];
    return { app, person: await new Given(app).person() };
  }

  it('are listed with what they need, except those with unreadable descriptions', async () => {
    const { person } = await given({ FUNCTIONS_URLS: server.url });
    const { body } = await person.http.get('/api/lambda/functions').expect(200);
    const common = { labels_v2: [], description: '', provider: 'cvat' };
    const clicks = { min_pos_points: 1, min_neg_points: -1, startswith_box: false, startswith_box_optional: false };
    expect(body).toEqual([
      CARS,
      { id: 'clicks', kind: 'interactor', name: 'clicks', version: 2, ...common, ...clicks, help_message: 'Click', animated_gif: '' },
      { id: 'follow', kind: 'tracker', name: 'follow', version: 1, ...common, supported_shape_types: ['rectangle'] },
    ]); // prettier-ignore
    expect((await person.http.get('/api/lambda/functions/cars').expect(200)).body).toEqual(CARS);
    const missing = await person.http.get('/api/lambda/functions/dogs');
    expect([missing.status, missing.body]).toEqual([404, 'There is no function "dogs".']);
    expect((await person.http.get('/api/server/plugins')).body.MODELS).toBe(true);
  });

  it('are found on the dashboard of Nuclio, and called through it', async () => {
    const { app, person } = await given({ NUCLIO_URL: server.url, NUCLIO_NAMESPACE: 'lab' });
    const { body } = await person.http.get('/api/lambda/functions').expect(200);
    expect((body as { id: string }[]).map(({ id }) => id)).toEqual(['cars', 'clicks', 'follow']);
    const { id: task } = await givenPhotos(app, person, 1);
    await person.http.post('/api/lambda/functions/cars').send({ task, frame: 0 }).expect(200);
    expect(server.calls.at(-1)).toMatchObject({
      path: '/api/function_invocations',
      headers: {
        'x-nuclio-project-name': 'cvat',
        'x-nuclio-function-namespace': 'lab',
        'x-nuclio-function-name': 'cars',
        'x-nuclio-path': '/',
        'x-nuclio-invoke-via': 'domain-name',
        'x-nuclio-invoke-timeout': '120s',
      },
    });
  });

  it('of other servers are listed when one server cannot be reached', async () => {
    const { person } = await given({ FUNCTIONS_URLS: `http://127.0.0.1:1/x,${server.url}` });
    expect((await person.http.get('/api/lambda/functions').expect(200)).body).toHaveLength(3);
    await person.http.get('/api/lambda/functions/dogs').expect(503);
  });

  it.each([
    ['cannot be reached', { FUNCTIONS_URLS: 'http://127.0.0.1:1/secret' }],
    ['is not allowed', { FUNCTIONS_URLS: 'http://127.0.0.1:1/secret', REMOTE_ALLOW_PRIVATE: 'false' }],
  ])('are unavailable if their only server %s', async (_, env) => {
    const { person } = await given(env);
    const answer = await person.http.get('/api/lambda/functions');
    expect([answer.status, answer.body]).toEqual([503, 'The servers of the functions cannot be reached.']);
  });

  it('are an empty list without settings', async () => {
    const { person } = await given({});
    expect((await person.http.get('/api/lambda/functions').expect(200)).body).toEqual([]);
    await person.http.get('/api/lambda/functions/cars').expect(404);
  });
});
