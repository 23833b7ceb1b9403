import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { ReportWriter } from '../../../src/modules/quality/computation/report-writer.js';
import { TaskComparisons } from '../../../src/modules/quality/computation/task-comparison.js';
import { RequestInterrupted, RequestWorker } from '../../../src/modules/requests/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { type ComparedTask, computedQuality, givenExample } from '../../support/given-quality.js';

describe('an interrupted computation of quality', () => {
  let app: TestApp;
  let owner: Person;
  let task: ComparedTask;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => app.close());

  const start = async (): Promise<string> => {
    task = await givenExample(app, owner);
    const { body } = await owner.http.post('/api/quality/reports').send({ task_id: task.id }).expect(202);
    return `/api/requests/${encodeURIComponent((body as { rq_id: string }).rq_id)}`;
  };
  const rows = async (): Promise<number[]> => {
    const [row] = await app.db.query<{ counts: number[] }>(sql`
      select array[(select count(*) from quality_report), (select count(*) from quality_conflict),
        (select count(*) from quality_report_part)]::int[] as counts`);
    return row?.counts ?? [];
  };

  it('leaves nothing half-written when it fails while it writes', async () => {
    const request = await start();
    const writer = app.app.get(ReportWriter, { strict: false });
    const { writeTask } = writer;
    jest.spyOn(writer, 'writeTask').mockImplementationOnce(async (...values) => {
      await writeTask.apply(writer, values);
      throw new Error('the disk is full');
    });
    await app.app.get(RequestWorker).drain();
    expect((await owner.http.get(request)).body).toMatchObject({ status: 'failed', result_id: null });
    expect(await rows()).toEqual([0, 0, 0]);
  });

  it('starts again in the next process when the server stops, and writes its reports once', async () => {
    const request = await start();
    const comparisons = app.app.get(TaskComparisons, { strict: false });
    const interrupted = new RequestInterrupted('stopping');
    jest.spyOn(comparisons, 'compare').mockRejectedValueOnce(interrupted);
    await app.app.get(RequestWorker).drain();
    expect((await owner.http.get(request)).body).toMatchObject({ status: 'finished', result_id: expect.any(Number) });
    expect(await rows()).toEqual([2, 1, 1]);
  });

  it('fails if its task is deleted meanwhile, and leaves nothing', async () => {
    const request = await start();
    const before = await rows();
    const comparisons = app.app.get(TaskComparisons, { strict: false });
    const { compare } = comparisons;
    jest.spyOn(comparisons, 'compare').mockImplementationOnce(async (...values) => {
      const computed = await compare.apply(comparisons, values);
      await app.db.query(sql`delete from task where id = ${task.id}`);
      return computed;
    });
    await app.app.get(RequestWorker).drain();
    const failed = { status: 'failed', message: 'The task was deleted\n', result_id: null };
    expect((await owner.http.get(request)).body).toMatchObject(failed);
    expect(await rows()).toEqual(before);
  });

  it('does not happen to a frame with thousands of objects', async () => {
    task = await givenExample(app, owner);
    const [jobId = 0] = task.jobs;
    const shapes = Array.from({ length: 2000 }, (_, at) => {
      const [left, top] = [at % 90, Math.floor(at / 90)];
      return {
        type: 'rectangle',
        frame: 0,
        group: 0,
        attributes: [],
        label_id: task.car,
        points: [left, top, left + 9, top + 9],
      };
    });
    await owner.http.put(`/api/jobs/${jobId}/annotations`).send({ tags: [], shapes, tracks: [] }).expect(200);
    const { result_id: id } = await computedQuality(app, owner, { task_id: task.id });
    const { body } = await owner.http.get(`/api/quality/reports/${id}`);
    expect(body.summary).toMatchObject({ ds_count: 2000, gt_count: 1 });
    const conflicts = await owner.http.get(`/api/quality/conflicts?report_id=${id}&page_size=1`);
    expect(conflicts.body.count).toBe(body.summary.conflict_count);
  });
});
