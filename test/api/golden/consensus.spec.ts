import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { DatasetLabel } from '../../../src/engines/annotations/formats/dataset.js';
import type { LabeledData } from '../../../src/shared/annotations/model.js';
import { DatasetLoader } from '../../../src/modules/exchange/dataset/dataset.loader.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { merged, type ReplicatedJob, replicatedJobs } from '../../support/given-consensus.js';
import { givenTask, processed, sendFiles } from '../../support/given-media.js';
import { imageFile } from '../../support/images.js';
import { type RecordedData, recordedForm, toData } from '../../support/recorded-datasets.js';
import { describeRecorded, recordedJson } from '../../support/recorded-quality.js';

interface Setup {
  readonly task: {
    readonly labels: readonly object[];
    readonly segment_size: number;
    readonly consensus_replicas: number;
  };
  readonly images: readonly (readonly [name: string, width: number, height: number])[];
  readonly replicas: Readonly<Record<string, RecordedData>>;
  readonly parent_before: Readonly<Record<string, RecordedData>>;
}

interface Run {
  readonly note: string;
  readonly settings: object;
  /** Positions of the replicas that have left the state new, by job. */
  readonly replicas_not_new: Readonly<Record<string, readonly number[]>>;
  readonly job0: RecordedJob;
  readonly job1: RecordedJob;
  readonly task_status: string;
}

interface RecordedJob {
  readonly stage: string;
  readonly state: string;
  readonly annotations: RecordedData;
}

const NAMES = ['job0', 'job1'] as const;

/** CVAT fails here. A tag below the quorum is left out instead. */
const LAST: RecordedData = {
  tags: [{ label: 'person', frame: 12, source: 'file' }],
  shapes: [
    {
      label: 'car', type: 'rectangle', frame: 12, points: [10, 10, 40, 40], source: 'consensus', occluded: false,
      outside: false, z_order: 0, rotation: 0,
    },
  ],
}; // prettier-ignore

describeRecorded('merges of CVAT', () => {
  const setup = recordedJson('consensus/merge-setup.json') as Setup;
  const recorded = recordedJson('consensus/merge-results.json') as {
    readonly refusals: Readonly<Record<string, readonly [number, string | string[]]>>;
    readonly runs: readonly Run[];
  };
  let app: TestApp;
  let owner: Person;
  let taskId: number;
  let settingsId: number;
  let jobs: readonly ReplicatedJob[];
  let labels: DatasetLabel[];

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    const { labels: named, segment_size, consensus_replicas } = setup.task;
    taskId = await givenTask(owner, { labels: named, segment_size, consensus_replicas });
    const files = setup.images.map(async ([name, width, height]): Promise<[string, Buffer]> => [
      name,
      await imageFile({ width, height, format: 'png' }),
    ]);
    await sendFiles(owner, taskId, Object.fromEntries(await Promise.all(files))).expect(202);
    await processed(app, owner, taskId);
    jobs = await replicatedJobs(app, taskId);
    labels = await app.app.get(DatasetLoader, { strict: false }).labelsOf(app.db, { kind: 'task', id: taskId });
    const { body } = await owner.http.get(`/api/consensus/settings?task_id=${taskId}`);
    settingsId = (body as { results: { id: number }[] }).results[0]?.id ?? 0;
    for (const [at, name] of NAMES.entries()) {
      await save(jobs[at]?.id, setup.parent_before[name] ?? {});
      for (const [index, replica] of (jobs[at]?.replicas ?? []).entries())
        await save(replica, setup.replicas[`${name}/replica${index}`] ?? {});
    }
  });

  afterAll(() => app.close());

  async function save(jobId: number | undefined, data: RecordedData): Promise<void> {
    await owner.http.put(`/api/jobs/${jobId}/annotations`).send(toData(data, labels)).expect(200);
  }

  const patch = (jobId: number | undefined, body: object): PromiseLike<unknown> =>
    owner.http.patch(`/api/jobs/${jobId}`).send(body).expect(200);

  async function refused(body: object, name: string): Promise<void> {
    const [status, texts] = recorded.refusals[name] ?? [];
    const id = 'job_id' in body ? body.job_id : 0;
    const text = (typeof texts === 'string' ? texts.slice(2, -2) : (texts?.[0] ?? '')).replace('$job', String(id));
    const answer = await owner.http.post('/api/consensus/merges').send(body);
    expect([name, answer.status, answer.body]).toEqual([name, status, [text]]);
  }

  async function result(jobId: number | undefined): Promise<object> {
    const [job, annotations] = [
      await owner.http.get(`/api/jobs/${jobId}`),
      await owner.http.get(`/api/jobs/${jobId}/annotations`),
    ];
    const { stage, state } = job.body as Record<string, string>;
    return { stage, state, annotations: recordedForm(annotations.body as LabeledData, labels) };
  }

  it('are refused while nobody has worked on a replica', async () => {
    await refused({ task_id: taskId }, 'nothing annotated');
    await refused({ job_id: jobs[0]?.id }, 'job, nothing annotated');
  });

  it.each(recorded.runs.map((run, index) => ({ run, note: run.note, index })))('$note', async ({ run, index }) => {
    const isLast = index === recorded.runs.length - 1;
    if (isLast) await prepareLast();
    await owner.http.patch(`/api/consensus/settings/${settingsId}`).send(run.settings).expect(200);
    for (const [at, name] of NAMES.entries()) {
      const started = run.replicas_not_new[name];
      if (started === undefined) continue;
      for (const [replica, id] of (jobs[at]?.replicas ?? []).entries())
        await patch(id, { state: started.includes(replica) ? 'in progress' : 'new' });
    }
    const target = run.note.startsWith('job_id') ? { job_id: jobs[1]?.id } : { task_id: taskId };
    expect(await merged(app, owner, target)).toMatchObject({ status: 'finished', message: '' });
    for (const [at, name] of NAMES.entries()) {
      const expected = isLast && name === 'job1' ? { ...run[name], state: 'completed', annotations: LAST } : run[name];
      expect(await result(jobs[at]?.id)).toEqual({
        ...expected,
        annotations: recordedForm(expected.annotations, labels),
      });
    }
    expect((await owner.http.get(`/api/tasks/${taskId}`)).body.status).toBe(run.task_status);
  });

  async function prepareLast(): Promise<void> {
    await patch(jobs[0]?.id, { stage: 'validation' });
    const tag = (label: string): NonNullable<RecordedData['tags']> => [{ label, frame: 12 }];
    const shapes: NonNullable<RecordedData['shapes']> = [
      { label: 'car', type: 'rectangle', frame: 12, points: [10, 10, 40, 40] },
    ];
    const contents = [{ tags: tag('tree'), shapes }, { tags: tag('person'), shapes }, { tags: tag('person') }];
    for (const [at, data] of contents.entries()) await save(jobs[1]?.replicas[at], data);
  }

  it('are refused for jobs that are not ready', async () => {
    await refused({ job_id: jobs[0]?.id }, 'job in stage validation');
    await refused({ job_id: jobs[1]?.replicas[0] }, 'job_id of a replica');
  });
});
