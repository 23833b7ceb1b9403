import { sql } from '../../src/engines/sql/sql.js';
import { RequestWorker } from '../../src/modules/requests/index.js';
import type { TestApp } from './app.js';
import type { Person } from './given.js';
import { processed, sendFiles } from './given-media.js';
import { imageFile } from './images.js';

export interface ComparedTask {
  readonly id: number;
  /** Annotation jobs, by id. */
  readonly jobs: readonly number[];
  readonly groundTruthId: number;
  /** Ids of the labels car and person. */
  readonly car: number;
  readonly person: number;
}

export interface ComparedOptions {
  readonly images?: number;
  readonly groundTruthFrames?: readonly number[];
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A task with images of 100×80 pixels, the labels car and person, and a ground truth job. */
export async function givenCompared(app: TestApp, owner: Person, given: ComparedOptions = {}): Promise<ComparedTask> {
  const { images = 2, groundTruthFrames = [0], options = {} } = given;
  const labels = options['project_id'] === undefined ? { labels: [{ name: 'car' }, { name: 'person' }] } : {};
  const created = await owner.http.post('/api/tasks').send({ name: 'compared', ...labels, ...options });
  if (created.status !== 201) throw new Error(`no task: ${JSON.stringify(created.body)}`);
  const { id } = created.body as { id: number };
  const image = await imageFile({ width: 100, height: 80 });
  const files = Object.fromEntries(
    Array.from({ length: images }, (_, at) => [`${String(at).padStart(3, '0')}.jpg`, image]),
  );
  await sendFiles(owner, id, files).expect(202);
  const request = await processed(app, owner, id);
  if (request.body.status !== 'finished') throw new Error(`not processed: ${JSON.stringify(request.body)}`);
  const groundTruth = await owner.http.post('/api/jobs').send({
    task_id: id,
    type: 'ground_truth',
    frame_selection_method: 'manual',
    frames: groundTruthFrames,
  });
  if (groundTruth.status !== 201) throw new Error(`no ground truth: ${JSON.stringify(groundTruth.body)}`);
  const found = await owner.http.get(`/api/labels?task_id=${id}&sort=id`);
  const [car, person] = (found.body as { results: { id: number }[] }).results;
  const jobs = await app.db.query<{ id: number }>(sql`
    select id from job where task_id = ${id} and type <> 'ground_truth' order by id`);
  return {
    id,
    jobs: jobs.map((job) => job.id),
    groundTruthId: (groundTruth.body as { id: number }).id,
    car: car?.id ?? 0,
    person: person?.id ?? 0,
  };
}

export interface GivenBox {
  readonly label_id: number;
  readonly points: readonly number[];
  readonly frame?: number;
}

/** Replaces the annotations of a job by rectangles. */
export async function putBoxes(owner: Person, jobId: number, boxes: readonly GivenBox[]): Promise<void> {
  const shapes = boxes.map((box) => ({ type: 'rectangle', frame: 0, group: 0, attributes: [], ...box }));
  const answer = await owner.http.put(`/api/jobs/${jobId}/annotations`).send({ tags: [], shapes, tracks: [] });
  if (answer.status !== 200) throw new Error(`not annotated: ${JSON.stringify(answer.body)}`);
}

export const finishGroundTruth = (owner: Person, jobId: number) =>
  owner.http.patch(`/api/jobs/${jobId}`).send({ stage: 'acceptance', state: 'completed' }).expect(200);

/** The worked example: the ground truth has a car; the annotations have a similar car, and a person. */
export async function givenExample(app: TestApp, owner: Person, given: ComparedOptions = {}): Promise<ComparedTask> {
  const task = await givenCompared(app, owner, given);
  await putBoxes(owner, task.groundTruthId, [{ label_id: task.car, points: [10, 10, 40, 40] }]);
  await putBoxes(owner, task.jobs[0] ?? 0, [
    { label_id: task.car, points: [12, 10, 42, 40] },
    { label_id: task.person, points: [50, 10, 80, 40] },
  ]);
  await finishGroundTruth(owner, task.groundTruthId);
  return task;
}

/** Computes a report. @returns the finished request */
export async function computedQuality(
  app: TestApp,
  owner: Person,
  target: { readonly task_id: number } | { readonly project_id: number },
): Promise<Record<string, unknown> & { result_id: number }> {
  const started = await owner.http.post('/api/quality/reports').send(target);
  if (started.status !== 202) throw new Error(`not started: ${started.status} ${JSON.stringify(started.body)}`);
  await app.app.get(RequestWorker).drain();
  const { rq_id: id } = started.body as { rq_id: string };
  const request = await owner.http.get(`/api/requests/${encodeURIComponent(id)}`);
  return request.body as Record<string, unknown> & { result_id: number };
}
