import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MediaCache } from '../../src/core/media-storage/media-cache.js';
import { createTestApp, type TestApp } from '../support/app.js';
import { Given, type Person } from '../support/given.js';
import { givenTask, processed, sendFiles } from '../support/given-media.js';
import { imageFile } from '../support/images.js';
import { describeWith } from './support/programs.js';
import { startS3 } from './support/s3-server.js';

const ROUNDS = 40;
const FRAMES = 36;

/** CAIRN_TEST_LONG=1: prints how much longer a bucket takes than the data folder, in the same process and alternating. */
const describeLong =
  process.env['CAIRN_TEST_LONG'] === '1'
    ? (tests: () => void) => describeWith(['moto_server'], 'speed', tests)
    : skipped;

function skipped(): void {
  describe.skip('speed of a bucket (CAIRN_TEST_LONG=1)', () => {
    it('is measured by hand', () => undefined);
  });
}

interface Measured {
  readonly app: TestApp;
  readonly owner: Person;
  readonly task: number;
}

describeLong(() => {
  it('compares chunks and the creation of a task', async () => {
    const s3 = await startS3();
    const files: Record<string, Buffer> = {};
    for (let at = 0; at < FRAMES; at++) files[`${at}.jpg`] = await imageFile({ width: 640, height: 480, red: at });
    const begin = async (env: Record<string, string>): Promise<Measured> => {
      const app = await createTestApp({ env });
      const owner = await new Given(app).person();
      return { app, owner, task: await create(app, owner) };
    };
    const create = async (app: TestApp, owner: Person): Promise<number> => {
      const id = await givenTask(owner);
      await sendFiles(owner, id, files).expect(202);
      expect((await processed(app, owner, id)).body.status).toBe('finished');
      return id;
    };
    const [folder, bucket] = [await begin({}), await begin(await s3.settings('speed'))];
    const read = ({ owner, task }: Measured) =>
      owner.http.get(`/api/tasks/${task}/data?type=chunk&number=0&quality=compressed`).expect(200);
    const forget = async ({ app }: Measured): Promise<void> => {
      await app.app.get(MediaCache).deletePrefix('');
      await rm(join(app.config.dataDir, 'cache'), { recursive: true });
    };
    const both = async (rounds: number, work: (one: Measured) => Promise<unknown>, before = work): Promise<string> => {
      const spent = new Map<Measured, number[]>([folder, bucket].map((one) => [one, []]));
      for (let round = 0; round < rounds; round++)
        for (const one of round % 2 === 0 ? [folder, bucket] : [bucket, folder]) {
          await before(one);
          const start = performance.now();
          await work(one);
          spent.get(one)?.push(performance.now() - start);
        }
      const [a = 0, b = 0] = [folder, bucket].map((one) => median(spent.get(one) ?? []));
      return `folder ${a.toFixed(1)} ms, bucket ${b.toFixed(1)} ms, ratio ${(b / a).toFixed(2)}`;
    };
    const lines = [
      `cached chunk: ${await both(ROUNDS, read)}`,
      `chunk that is not in the cache of this machine: ${await both(8, read, forget)}`,
      `creation from ${FRAMES} images: ${await both(
        4,
        ({ app, owner }) => create(app, owner),
        () => Promise.resolve(),
      )}`,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    await folder.app.close();
    await bucket.app.close();
    await s3.stop();
  });
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
