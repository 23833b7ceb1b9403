import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';

describe('a client that reads slowly', () => {
  let app: TestApp;
  let person: Person;
  let task: Annotatable;
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);

  beforeAll(async () => {
    app = await createTestApp();
    person = await new Given(app).person();
    task = await givenAnnotatable(app, person);
    const shapes = Array.from({ length: 5_000 }, (_, at) =>
      rectangle(task.labels.car, at % 5, { points: [1 / (at + 3), 1 / (at + 7), 5 + 1 / (at + 11), 9] }),
    );
    await person.http.patch(`${task.ofTask}?action=create`).send({ shapes }).expect(200);
    process.on('warning', note);
  });
  afterAll(async () => {
    process.off('warning', note);
    await app.close();
  });

  /** What parts of the server that are switched on in production, such as traces, add. */
  const others = 5;

  it.each([{}, { 'Accept-Encoding': 'gzip' }])('makes no listeners pile up, with headers %j', async (headers) => {
    let most = 0;
    app.app
      .getHttpServer()
      .once('request', (_: unknown, response: NodeJS.WritableStream & { getMaxListeners(): number }) => {
        for (let at = 0; at < others; at += 1) response.once('close', () => undefined);
        response.on('newListener', (name) => {
          if (name === 'close') most = Math.max(most, response.listenerCount('close') + 1 - response.getMaxListeners());
        });
      });
    const authorization = { Authorization: `Token ${person.token}`, Cookie: `agentclient=${'a'.repeat(22)}` };
    await new Promise<void>((resolve, reject) => {
      get(`${app.url}${task.ofTask}`, { headers: { ...headers, ...authorization } }, (response) => {
        response.on('end', resolve);
        response.on('data', () => {
          response.pause();
          setImmediate(() => response.resume());
        });
      }).on('error', reject);
    });
    await pause(0);
    expect([most <= 0, warnings]).toEqual([true, []]);
  });
});
