import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { corpus } from '../../corpus/make.mjs';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles } from '../../support/given-media.js';

const cases = await corpus();

describe('corpus of bad files', () => {
  let app: TestApp;
  let owner: Person;
  beforeAll(async () => {
    app = await createTestApp({ env: { MAX_ARCHIVE_ENTRIES: '2000' } });
    owner = await new Given(app).person();
  });
  afterAll(() => app.close());

  async function expectNothingLeft(id: number): Promise<void> {
    const { body: task } = await owner.http.get(`/api/tasks/${id}`).expect(200);
    expect([task.size ?? 0, task.mode, task.jobs.count]).toEqual([0, '', 0]);
    expect(await readdir(join(app.config.dataDir, 'uploads'))).toEqual([]);
    expect(await readdir(join(app.config.dataDir, 'media'))).not.toContain(String(task.data));
    const [rows] = await app.db.query(sql`
      select (select count(*)::int from media_frame where data_id = ${task.data ?? 0}) as frames,
        (select count(*)::int from media_upload where data_id = ${task.data ?? 0}) as uploads,
        (select count(*)::int from segment where task_id = ${id}) as segments`);
    expect(rows).toEqual({ frames: 0, uploads: 0, segments: 0 });
  }

  it.each(cases.map((one) => [one.label, one] as const))('%s', async (_, one) => {
    const { files, parameters, says, frames } = one;
    const id = await givenTask(owner);
    const sent = await sendFiles(owner, id, files, parameters);
    const sentence = says ?? Object.keys(files)[0] ?? '';
    if (sent.status !== 202) {
      expect(sent.status).toBe(400);
      expect(`${sent.text} ${JSON.stringify(sent.body)}`).toContain(sentence);
      expect(frames).toBeUndefined();
      await expectNothingLeft(id);
      return;
    }
    const { body: request } = await processed(app, owner, id);
    if (frames === undefined) {
      expect(request.status).toBe('failed');
      expect(request.message).toContain(sentence);
      expect(request.message).toMatch(
        /^[\w.]*(Error|Exception|BadZipFile)\w*: \S.*\n$|^File .*\n$|^Only .*\n$|^The (?:archive|folder) .*\n$/,
      ); // one sentence
      await expectNothingLeft(id);
      return;
    }
    expect(request).toMatchObject({ status: 'finished', message: '' });
    const { body: meta } = await owner.http.get(`/api/tasks/${id}/data/meta`).expect(200);
    expect((meta.frames as { name: string }[]).map(({ name }) => name)).toEqual(frames);
    const chunk = await owner.http.get(`/api/tasks/${id}/data`).query({ type: 'chunk', number: 0 });
    expect(chunk.status).toBe(one.unreadable === true ? 400 : 200);
    if (one.unreadable === true) expect(chunk.body).toContain(`'${sentence}'`);
  });
});
