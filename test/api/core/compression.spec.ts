import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

describe('compression of responses', () => {
  let app: TestApp;
  let owner: Person;
  let short: string;
  let long: string;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    const labels = Array.from({ length: 300 }, (_, at) => ({ name: `label ${at}` }));
    const task = await owner.http.post('/api/tasks').send({ name: 'compressed', labels });
    short = `/api/tasks/${task.body.id}`;
    long = `/api/labels?task_id=${task.body.id}&page_size=300`;
  });

  afterAll(() => app.close());

  const ask = (path: string, encodings: string) => owner.http.get(path).set('Accept-Encoding', encodings);

  it.each([
    ['gzip, deflate', 'gzip'],
    ['deflate', 'deflate'],
    ['gzip;q=0, deflate', 'deflate'],
    ['identity', undefined],
  ])('of short and long ones, for clients that accept %s', async (encodings, encoding) => {
    for (const path of [short, long]) {
      const plain = await ask(path, 'identity');
      const answer = await ask(path, encodings);
      const { vary, etag, 'content-encoding': told } = answer.headers;
      expect({ told, body: answer.body }).toEqual({ told: encoding, body: plain.body });
      expect({ vary, etag }).toEqual({ vary: expect.stringContaining('Accept-Encoding'), etag: plain.headers['etag'] });
    }
  });

  it('sets the content length if the response is compressed synchronously', async () => {
    const [plain, answer] = [await ask(short, 'identity'), await ask(short, 'gzip')];
    expect(Number(answer.headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']));
    expect((await ask(long, 'gzip')).headers['content-length']).toBeUndefined();
  });

  it('leaves responses to HEAD and tiny ones unchanged', async () => {
    const plain = await ask(short, 'identity');
    const head = await owner.http.head(short).set('Accept-Encoding', 'gzip');
    expect([head.headers['content-encoding'], head.headers['content-length']]).toEqual([
      undefined,
      plain.headers['content-length'],
    ]);
    expect((await ask('/api/tasks/0', 'gzip')).headers['content-encoding']).toBeUndefined();
  });
});
