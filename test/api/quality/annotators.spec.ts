import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import {
  type ComparedTask,
  computedQuality,
  finishGroundTruth,
  givenCompared,
  putBoxes,
} from '../../support/given-quality.js';

const [LEFT, RIGHT, BELOW] = [
  [10, 10, 40, 40],
  [50, 10, 80, 40],
  [10, 50, 40, 70],
] as const; // prettier-ignore

/** Valid annotations, annotations, objects of the ground truth, and all. */
type Counts = readonly [valid: number, ds: number, gt: number, total: number];

/** One for each test. */
const JOBS = 16;

interface AnnotatorBody {
  readonly annotator: { readonly username: string } | null;
  readonly [name: string]: unknown;
}

interface StoredBody {
  readonly shapes: { readonly id: number; readonly points: readonly number[] }[];
  readonly tracks: { readonly id: number; readonly shapes: object[] }[];
}

describe('the annotators of a quality report', () => {
  let app: TestApp;
  let owner: Person;
  let annotator: Person;
  let reviewer: Person;
  let task: ComparedTask;
  /** Each test has a job of its own, with one frame. */
  let jobId: number;
  let frame = -1;

  beforeAll(async () => {
    app = await createTestApp();
    const given = new Given(app);
    owner = await given.person({ groups: ['admin'] });
    annotator = await given.person({ username: 'annotator' });
    reviewer = await given.person({ username: 'reviewer' });
    const groundTruthFrames = Array.from({ length: JOBS }, (_, at) => at);
    task = await givenCompared(app, owner, { images: JOBS, groundTruthFrames, options: { segment_size: 1 } });
    const truth = groundTruthFrames.flatMap((at) =>
      [LEFT, RIGHT, BELOW].map((points) => ({ label_id: task.car, frame: at, points })),
    );
    await putBoxes(owner, task.groundTruthId, truth);
    await finishGroundTruth(owner, task.groundTruthId);
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    frame += 1;
    jobId = task.jobs[frame] ?? 0;
    await changeJob({ assignee: annotator.id });
  });

  const changeJob = (change: object) => owner.http.patch(`/api/jobs/${jobId}`).send(change).expect(200);
  const cars = (...boxes: readonly (readonly number[])[]) =>
    boxes.map((points) => ({ label_id: task.car, frame, points }));
  const path = (more = '') => `/api/jobs/${jobId}/annotations${more}`;
  const stored = async () => (await owner.http.get(path())).body as StoredBody;
  const update = (person: Person, change: object) => person.http.patch(path('?action=update')).send(change).expect(200);

  /** @returns the id of the report of the job, in a new one of its task */
  async function report(): Promise<number> {
    const { result_id: id } = await computedQuality(app, owner, { task_id: task.id });
    const { body } = await owner.http.get(`/api/quality/reports?parent_id=${id}&job_id=${jobId}`);
    return (body as { results: [{ id: number }] }).results[0].id;
  }

  async function countsOf(reportId: number): Promise<Record<string, Counts>> {
    const { body } = await owner.http.get(`/api/quality/reports/${reportId}/annotators`).expect(200);
    return Object.fromEntries(
      (body as AnnotatorBody[]).map((row) => [
        row.annotator?.username ?? 'nobody',
        ['valid_count', 'ds_count', 'gt_count', 'total_count'].map((name) => row[name]) as unknown as Counts,
      ]),
    );
  }

  const counts = async () => countsOf(await report());
  const takeOver = () => changeJob({ assignee: reviewer.id, stage: 'validation' });

  it('do not include a reviewer who has only taken the job over', async () => {
    await putBoxes(annotator, jobId, cars(LEFT, RIGHT));
    await takeOver();
    expect(await counts()).toEqual({ annotator: [2, 2, 3, 3] });
  });

  it('are those who made each annotation', async () => {
    await putBoxes(annotator, jobId, cars(LEFT));
    await takeOver();
    await putBoxes(reviewer, jobId, cars(LEFT, [50, 50, 80, 70]));
    expect(await counts()).toEqual({ annotator: [1, 1, 3, 3], reviewer: [0, 1, 0, 1] });
  });

  it('are blamed for what is missing, whoever has the job, if they annotated it', async () => {
    await putBoxes(annotator, jobId, cars(LEFT));
    await changeJob({ assignee: reviewer.id });
    await changeJob({ stage: 'validation' });
    await putBoxes(reviewer, jobId, cars(LEFT, RIGHT));
    expect(await counts()).toEqual({ annotator: [1, 1, 2, 2], reviewer: [1, 1, 1, 1] });
  });

  it('are blamed for what is missing, if they annotated nothing', async () => {
    await takeOver();
    await putBoxes(reviewer, jobId, cars(LEFT));
    expect(await counts()).toEqual({ annotator: [0, 0, 2, 2], reviewer: [1, 1, 1, 1] });
  });

  it('keep an annotation that somebody else changes otherwise than in position and label', async () => {
    await putBoxes(annotator, jobId, cars(LEFT));
    await takeOver();
    const [shape] = (await stored()).shapes;
    await update(reviewer, { shapes: [{ ...shape, occluded: true, group: 4, z_order: 3 }] });
    expect(await counts()).toEqual({ annotator: [1, 1, 3, 3] });
  });

  it.each([
    ['label', () => ({ label_id: task.person })],
    ['position', () => ({ points: [11, 10, 40, 40] })],
  ])('lose an annotation whose %s somebody else changes', async (_what, change) => {
    await putBoxes(annotator, jobId, cars(LEFT));
    await takeOver();
    const [shape] = (await stored()).shapes;
    await update(reviewer, { shapes: [{ ...shape, ...change() }] });
    expect(Object.keys(await counts()).toSorted()).toEqual(['annotator', 'reviewer']);
  });

  it('keep annotations that somebody else restores', async () => {
    await putBoxes(annotator, jobId, cars(LEFT, RIGHT));
    await takeOver();
    await reviewer.http.delete(path()).expect(204);
    const { body } = await owner.http.get(path('/revisions'));
    const [{ id }] = (body as { results: [{ id: number }] }).results;
    await reviewer.http.post(path(`/revisions/${id}/restore?state=before`)).expect(201);
    expect(await counts()).toEqual({ annotator: [2, 2, 3, 3] });
  });

  it('are those who placed the keyframes of tracks', async () => {
    const keyframe = { type: 'rectangle', frame, occluded: false, outside: false, attributes: [] };
    const track = (points: readonly number[]) => ({
      frame, label_id: task.car, group: 0, attributes: [], shapes: [{ ...keyframe, points }],
    }); // prettier-ignore
    await annotator.http
      .put(path())
      .send({ tags: [], shapes: [], tracks: [track(LEFT), track(RIGHT)] })
      .expect(200);
    await takeOver();
    const [first] = (await stored()).tracks;
    await update(reviewer, { tracks: [{ ...first, ...track([11, 10, 40, 40]) }] });
    expect(await counts()).toEqual({ annotator: [1, 1, 2, 2], reviewer: [1, 1, 1, 1] });
  });

  it('annotated the job, if the history does not say who made an annotation', async () => {
    await putBoxes(annotator, jobId, cars(LEFT));
    await takeOver();
    await putBoxes(reviewer, jobId, cars(RIGHT));
    await app.db.query(
      sql`delete from annotation_revision part using annotation_revision_part where revision_id = part.id and job_id = ${jobId}`,
    );
    expect(await counts()).toEqual({ annotator: [1, 1, 3, 3] });
  });

  it('are the assignee, if nobody has annotated the job', async () => {
    expect(await counts()).toEqual({ annotator: [0, 0, 3, 3] });
  });

  it('stay those of the time of the report', async () => {
    await putBoxes(annotator, jobId, cars(LEFT));
    const reportId = await report();
    await takeOver();
    await putBoxes(reviewer, jobId, cars(RIGHT));
    expect(await countsOf(reportId)).toEqual({ annotator: [1, 1, 3, 3] });
  });

  it('are the assignees of that time in older reports', async () => {
    await changeJob({ assignee: reviewer.id });
    await putBoxes(reviewer, jobId, cars(LEFT));
    const reportId = await report();
    await app.db.query(sql`update quality_report set annotators = null`);
    expect(await countsOf(reportId)).toEqual({ reviewer: [1, 1, 3, 3] });
  });

  it('are listed with the lowest accuracy first', async () => {
    await putBoxes(annotator, jobId, cars(LEFT));
    await takeOver();
    await putBoxes(reviewer, jobId, cars(LEFT, RIGHT));
    const { body } = await owner.http.get(`/api/quality/reports/${await report()}/annotators`);
    expect(body).toMatchObject([
      { annotator: { username: 'annotator' }, job_count: 1, frame_count: 1, conflict_count: 1, accuracy: 0.5, precision: 1, recall: 0.5 },
      { annotator: { username: 'reviewer' }, job_count: 1, frame_count: 1, conflict_count: 0, accuracy: 1, precision: 1, recall: 1 },
    ]); // prettier-ignore
  });

  it('are summed in the report of the task', async () => {
    const { result_id: id } = await computedQuality(app, owner, { task_id: task.id });
    const { body: jobs } = await owner.http.get(`/api/quality/reports?parent_id=${id}&page_size=100`);
    const { body } = await owner.http.get(`/api/quality/reports/${id}/annotators`);
    const sum = (rows: readonly object[], name: string): number =>
      rows.reduce((total, row) => total + Number((row as Record<string, unknown>)[name]), 0);
    const summaries = (jobs as { results: { summary: object }[] }).results.map(({ summary }) => summary);
    const names = ['valid_count', 'ds_count', 'gt_count', 'total_count', 'conflict_count'];
    expect(names.map((name) => sum(body as object[], name))).toEqual(names.map((name) => sum(summaries, name)));
  });

  it('are not shown to annotators', async () => {
    const { status } = await annotator.http.get(`/api/quality/reports/${await report()}/annotators`);
    expect(status).toBe(403);
  });
});
