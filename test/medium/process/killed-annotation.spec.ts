import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { end, spawnCommand } from '../../support/command.js';
import { CAR_DETECTOR, FunctionServer, ONE_CAR } from '../../support/function-server.js';
import { Given, type Person } from '../../support/given.js';
import { givenPhotos } from '../../support/given-media.js';

/** More than are stored together. */
const FRAMES = 120;
/** The call at which the first worker is killed: results of most frames are stored, those of the last ones are not. */
const FATAL_CALL = 110;
/** For a machine that is busy with other work: six processes compile the sources. */
const LONG_MS = 400_000;

describe('a worker that is killed while it annotates a task', () => {
  let server: FunctionServer;
  let app: TestApp;
  let owner: Person;
  let folder: string;
  const workers: ChildProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-workers-'));
    server = await FunctionServer.start();
    app = await createTestApp({ env: { FUNCTIONS_URLS: server.url } });
    owner = await new Given(app).person();
  });
  afterAll(async () => {
    await killWorkers();
    await app.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  function startWorker(): ChildProcess {
    const worker = spawnCommand({
      args: ['worker', '--only', 'requests'],
      folder,
      env: {
        DATABASE_URL: app.config.databaseUrl,
        DATA_DIR: app.config.dataDir,
        LOG_LEVEL: 'error',
        FUNCTIONS_URLS: server.url,
        REMOTE_ALLOW_PRIVATE: 'true',
      },
    });
    workers.push(worker);
    return worker;
  }

  const killWorkers = (): Promise<unknown> => Promise.all(workers.map((worker) => end(worker, 'SIGKILL')));

  async function framesOf(task: number): Promise<number[]> {
    const { body } = await owner.http.get(`/api/tasks/${task}/annotations`);
    return (body as { shapes: { frame: number }[] }).shapes.map(({ frame }) => frame);
  }

  it(
    'is replaced by another one, and every frame is annotated once',
    async () => {
      const { id: task } = await givenPhotos(app, owner, FRAMES);
      let calls = 0;
      server.add(CAR_DETECTOR, async () => {
        calls += 1;
        if (calls === FATAL_CALL) await killWorkers();
        return ONE_CAR;
      });
      const { body } = await owner.http.post('/api/lambda/requests').send({ function: 'cars', task, cleanup: true });
      const path = `/api/lambda/requests/${encodeURIComponent((body as { id: string }).id)}`;
      await once(startWorker(), 'close');
      expect((await owner.http.get(path)).body).toMatchObject({ status: 'started' });
      const stored = (await framesOf(task)).length;
      expect(stored).toBeGreaterThan(0);
      startWorker();
      while (((await owner.http.get(path)).body as { status: string }).status === 'started') await pause(100);
      expect((await owner.http.get(path)).body).toMatchObject({ status: 'finished', exc_info: null });
      expect(await framesOf(task)).toEqual(Array.from({ length: FRAMES }, (_, frame) => frame));
      expect(calls).toBe(FATAL_CALL + FRAMES - stored);
    },
    LONG_MS,
  );
});
