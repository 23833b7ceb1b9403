import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenPhotos, givenTask, POOL, processed, sendFiles } from '../../support/given-media.js';
import { imageFile } from '../../support/images.js';

interface Job {
  readonly id: number;
  readonly type: string;
  readonly start_frame: number;
  readonly stop_frame: number;
  readonly frame_count: number;
}

interface Layout {
  readonly mode: string;
  readonly validation_frames: number[];
  readonly disabled_frames: number[];
  readonly honeypot_count: number;
  readonly honeypot_frames: number[];
  readonly honeypot_real_frames: number[];
}

describe('validation frames', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
  });
  afterAll(() => app.close());

  const get = async <T>(path: string): Promise<T> => (await owner.http.get(path).expect(200)).body as T;
  const patch = (path: string, body: object): PromiseLike<Response> => owner.http.patch(path).send(body);
  const jobsOf = async (id: number): Promise<Job[]> =>
    (await get<{ results: Job[] }>(`/api/jobs?task_id=${id}&sort=id&page_size=all`)).results;
  const frame = async (path: string, number: number): Promise<Buffer> =>
    (await owner.http.get(`${path}/data?type=frame&quality=original&number=${number}`).buffer(true).expect(200))
      .body as Buffer;
  const pool = async (): Promise<{ id: number; jobs: Job[]; layout: Layout }> => {
    const { id } = await givenPhotos(app, owner, 7, { segment_size: 2, consensus_replicas: 2 }, {
      ...POOL, 'validation_params.frame_count': 3, 'validation_params.random_seed': 4,
    }); // prettier-ignore
    return { id, jobs: await jobsOf(id), layout: await get<Layout>(`/api/tasks/${id}/validation_layout`) };
  };

  it.each([
    [{ frame_selection_method: 'random_uniform', frame_count: 3 }, null, 3],
    [{ frame_selection_method: 'random_uniform', frame_share: 0.5 }, null, 4],
    [{ frame_selection_method: 'random_per_job', frames_per_job_count: 2 }, 2, 4],
    [{ frame_selection_method: 'random_per_job', frames_per_job_share: 0.3 }, 1, 2],
    [{ frame_selection_method: 'manual', 'frames[0]': 'img_06.jpg', 'frames[1]': 'img_01.jpg' }, null, 2],
  ])('form a ground truth job: %j', async (params, perJob, count) => {
    const sent = Object.entries({ mode: 'gt', ...params }).map(([name, value]) => [`validation_params.${name}`, value]);
    const { id } = await givenPhotos(app, owner, 8, { segment_size: 4 }, Object.fromEntries(sent));
    const jobs = await jobsOf(id);
    expect(jobs.map(({ type }) => type)).toEqual(['annotation', 'annotation', 'ground_truth']);
    expect(jobs[2]).toMatchObject({ start_frame: 0, stop_frame: 7, frame_count: count });
    const layout = await get<Layout>(`/api/tasks/${id}/validation_layout`);
    expect(Object.keys(layout)).toEqual(['mode', 'frames_per_job_count', 'validation_frames', 'disabled_frames']);
    expect(layout).toMatchObject({ mode: 'gt', frames_per_job_count: perJob, disabled_frames: [] });
    const meta = await get<{ included_frames: number[] }>(`/api/jobs/${jobs[2]?.id}/data/meta`);
    expect(meta.included_frames).toEqual(layout.validation_frames);
    expect(layout.validation_frames).toHaveLength(count);
    expect(await get(`/api/tasks/${id}`)).toMatchObject({ validation_mode: 'gt', size: 8, segment_size: 4 });
    expect(await get(`/api/jobs/${jobs[0]?.id}/validation_layout`)).toEqual({});
    if (params.frame_selection_method === 'manual') expect(layout.validation_frames).toEqual([1, 6]);
  });

  it('are the same, in the same order, for the same seed', async () => {
    const namesOf = async (id: number) =>
      (await get<{ frames: { name: string }[] }>(`/api/tasks/${id}/data/meta`)).frames.map(({ name }) => name);
    const [one, other] = [await pool(), await pool()];
    expect(await namesOf(one.id)).toEqual(await namesOf(other.id));
    expect(one.layout).toEqual(other.layout);
  });

  it('have source numbers if the task omits frames', async () => {
    const params = { 'validation_params.mode': 'gt', 'validation_params.frame_selection_method': 'random_uniform', 'validation_params.frame_share': 1 }; // prettier-ignore
    const { id } = await givenPhotos(app, owner, 8, {}, { ...params, start_frame: 1, frame_filter: 'step=3' });
    const job = (await jobsOf(id)).find(({ type }) => type === 'ground_truth');
    expect((await get<Layout>(`/api/tasks/${id}/validation_layout`)).validation_frames).toEqual([0, 1, 2]);
    expect(await get(`/api/jobs/${job?.id}/data/meta`)).toMatchObject({ included_frames: [1, 4, 7] });
  });

  it('are repeated in the jobs as honeypots', async () => {
    const { id, jobs, layout } = await pool();
    expect(jobs.map(({ type, start_frame, stop_frame }) => [type, start_frame, stop_frame])).toEqual([
      ['annotation', 0, 2], ['consensus_replica', 0, 2], ['consensus_replica', 0, 2],
      ['annotation', 3, 5], ['consensus_replica', 3, 5], ['consensus_replica', 3, 5],
      ['ground_truth', 6, 8],
    ]); // prettier-ignore
    expect(await get(`/api/tasks/${id}`)).toMatchObject({
      validation_mode: 'gt_pool', size: 9, segment_size: 0, overlap: 0, jobs: { count: 7 },
    }); // prettier-ignore
    expect(layout).toMatchObject({
      mode: 'gt_pool',
      frames_per_job_count: 1,
      validation_frames: [6, 7, 8],
      honeypot_count: 2,
    });
    for (const [index, honeypot] of layout.honeypot_frames.entries()) {
      const real = layout.honeypot_real_frames[index] ?? -1;
      expect(await frame(`/api/tasks/${id}`, honeypot)).toEqual(await frame(`/api/tasks/${id}`, real));
    }
    const names = (await get<{ frames: { name: string }[] }>(`/api/tasks/${id}/data/meta`)).frames.map(
      ({ name }) => name,
    );
    expect([names.length, new Set(names).size]).toEqual([9, 7]);
    expect(await get(`/api/jobs/${jobs[3]?.id}/validation_layout`)).toEqual({
      honeypot_count: 1,
      honeypot_frames: [layout.honeypot_frames[1]],
      honeypot_real_frames: [layout.honeypot_real_frames[1]],
    });
    expect(await get(`/api/jobs/${jobs[6]?.id}/validation_layout`)).toEqual({ honeypot_count: 0, honeypot_frames: [], honeypot_real_frames: [] }); // prettier-ignore
    expect((await owner.http.delete(`/api/jobs/${jobs[6]?.id}`)).status).toBe(400);
  });

  it('can be disabled with their honeypots, and enabled again', async () => {
    const { id, jobs, layout } = await pool();
    const [real = 0] = layout.honeypot_real_frames;
    const honeypots = layout.honeypot_frames.filter((_, index) => layout.honeypot_real_frames[index] === real);
    const other = layout.honeypot_frames[0] === 0 ? 1 : 0;
    const deleted = async (): Promise<number[]> =>
      (await get<{ deleted_frames: number[] }>(`/api/tasks/${id}/data/meta`)).deleted_frames;

    const answer = await patch(`/api/jobs/${jobs[6]?.id}/data/meta`, { deleted_frames: [real] });
    expect([answer.status, answer.body.deleted_frames]).toEqual([200, [real]]);
    expect(await deleted()).toEqual([...honeypots, real].toSorted((a, b) => a - b));
    expect((await get<Layout>(`/api/tasks/${id}/validation_layout`)).disabled_frames).toEqual([real]);

    const kept = await patch(`/api/tasks/${id}/data/meta`, { deleted_frames: [other, real] });
    expect(kept.body.deleted_frames).toEqual([other, ...honeypots, real].toSorted((a, b) => a - b));
    const refused = await patch(`/api/tasks/${id}/data/meta`, { deleted_frames: [6, 7, 8] });
    expect([refused.status, refused.body[0]]).toEqual([
      400,
      expect.stringContaining('only be deleted and restored via the GT job'),
    ]);

    const back = await patch(`/api/tasks/${id}/validation_layout`, { disabled_frames: [] });
    expect([back.status, back.body.disabled_frames]).toEqual([200, []]);
    expect(await deleted()).toEqual([other]);
  });

  it('can be reselected for honeypots, whose annotations and chunks are deleted', async () => {
    const { id, jobs, layout } = await pool();
    const [job] = jobs;
    const [honeypot = 0] = layout.honeypot_frames;
    const label = (await get<{ results: { id: number }[] }>(`/api/labels?task_id=${id}`)).results[0]?.id;
    const shape = (at: number): object => ({ type: 'rectangle', frame: at, label_id: label, points: [0, 0, 5, 5] });
    const annotations = {
      shapes: [0, 1, 2].map(shape),
      tags: [{ frame: honeypot, label_id: label }],
      tracks: [],
      version: 0,
    };
    await owner.http.put(`/api/jobs/${job?.id}/annotations`).send(annotations).expect(200);
    const chunk = async (): Promise<Buffer> =>
      (
        await owner.http
          .get(`/api/jobs/${job?.id}/data?type=chunk&quality=original&index=0`)
          .responseType('blob')
          .expect(200)
      ).body as Buffer;
    const before = await chunk();
    const next = layout.validation_frames.find((one) => one !== layout.honeypot_real_frames[0]) ?? 0;

    const answer = await patch(`/api/jobs/${job?.id}/validation_layout`, {
      frame_selection_method: 'manual',
      honeypot_real_frames: [next],
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      { honeypot_count: 1, honeypot_frames: [honeypot], honeypot_real_frames: [next] },
    ]);
    expect(await frame(`/api/jobs/${job?.id}`, honeypot)).toEqual(await frame(`/api/tasks/${id}`, next));
    expect((await chunk()).equals(before)).toBe(false);
    const left = await get<{ shapes: { frame: number }[]; tags: object[] }>(`/api/jobs/${job?.id}/annotations`);
    expect(left.shapes.map((one) => one.frame)).toEqual([0, 1, 2].filter((at) => at !== honeypot));
    expect(left.tags).toEqual([]);
    const drawn = await patch(`/api/tasks/${id}/validation_layout`, { frame_selection_method: 'random_uniform' });
    expect([drawn.status, new Set(drawn.body.honeypot_real_frames as number[]).size]).toEqual([200, 2]);
  });

  it('reject invalid changes', async () => {
    const { id, jobs, layout } = await pool();
    const { id: without } = await givenPhotos(app, owner, 2);
    const real = layout.validation_frames;
    const asked: [string, object, unknown][] = [
      [`tasks/${id}`, { disabled_frames: [0] }, ['Unknown frames requested for exclusion from the validation set: 0']],
      [`tasks/${id}`, { frame_selection_method: 'manual', honeypot_real_frames: [6] }, ["Invalid size of 'honeypot_real_frames' array, expected 2"]],
      [`tasks/${id}`, { frame_selection_method: 'manual', honeypot_real_frames: [0, 6] }, ['Could not update honeypot frames: frames 0 are not from the validation pool']],
      [`tasks/${id}`, { disabled_frames: [7], frame_selection_method: 'manual', honeypot_real_frames: [6, 7] }, ['Could not update honeypot frames: frames 7 are disabled. Restore them in the validation pool first']],
      [`tasks/${id}`, { honeypot_real_frames: real }, { non_field_errors: ['"honeypot_real_frames" can only be used when "frame_selection_method" is "manual"'] }],
      [`tasks/${id}`, { frame_selection_method: 'random_per_job' }, { frame_selection_method: ['"random_per_job" is not a valid choice.'] }],
      [`tasks/${without}`, { disabled_frames: [] }, ['Validation is not configured in the task']],
      [`jobs/${jobs[0]?.id}`, {}, { frame_selection_method: ['This field is required.'] }],
      [`jobs/${jobs[0]?.id}`, { frame_selection_method: 'manual' }, { non_field_errors: ['The "honeypot_real_frames" field is required'] }],
    ]; // prettier-ignore
    for (const [path, body, expected] of asked) {
      const answer = await patch(`/api/${path}/validation_layout`, body);
      expect([path, body, answer.status, answer.body]).toEqual([path, body, 400, expected]);
    }
    expect(await get(`/api/tasks/${id}/validation_layout`)).toEqual(layout); // nothing is partially applied
    expect(await get(`/api/tasks/${without}/validation_layout`)).toEqual({ mode: null, frames_per_job_count: null });
    expect(await get(`/api/tasks/${await givenTask(owner)}/validation_layout`)).toEqual({
      mode: null,
      frames_per_job_count: null,
    });
    const stranger = await given.person();
    expect((await stranger.http.get(`/api/tasks/${id}/validation_layout`)).status).toBe(403);
    expect((await stranger.http.patch(`/api/jobs/${jobs[0]?.id}/validation_layout`).send({})).status).toBe(403);
  });

  it('in a pool copy their annotations to the honeypots when a task is annotated', async () => {
    const { id, jobs, layout } = await pool();
    const label = (await get<{ results: { id: number }[] }>(`/api/labels?task_id=${id}`)).results[0]?.id;
    const [real = 0] = layout.honeypot_real_frames;
    const shape = { type: 'rectangle', frame: real, label_id: label, points: [0, 0, 5, 5] };
    const body = { shapes: [shape], tags: [{ frame: real, label_id: label }], tracks: [], version: 0 };
    await owner.http.put(`/api/tasks/${id}/annotations`).send(body).expect(200);
    const frames = async (job: Job | undefined): Promise<number[]> =>
      (await get<{ shapes: { frame: number }[] }>(`/api/jobs/${job?.id}/annotations`)).shapes.map((one) => one.frame);
    expect(await frames(jobs[6])).toEqual([real]);
    expect(await frames(jobs[0])).toEqual([layout.honeypot_frames[0]]);
    const saved = await get<{ shapes: (typeof shape)[] }>(`/api/jobs/${jobs[6]?.id}/annotations`);
    const refused = await owner.http
      .patch(`/api/tasks/${id}/annotations?action=delete`)
      .send({ ...body, tags: [], shapes: saved.shapes });
    expect([refused.status, refused.body]).toEqual([
      400,
      ['GT annotations can only be edited via task import or the GT job'],
    ]);
  });

  it('are rejected before or after the files are read', async () => {
    const id = await givenTask(owner);
    const form = { ...POOL, 'validation_params.frame_count': 'x' };
    const refused = await sendFiles(owner, id, { 'a.jpg': await imageFile() }, form);
    expect([refused.status, refused.body]).toEqual([
      400,
      { validation_params: { frame_count: ['A valid integer is required.'] } },
    ]);
    await sendFiles(owner, id, { 'a.jpg': await imageFile() }, POOL).expect(202);
    const request = await processed(app, owner, id);
    expect(request.body).toMatchObject({ status: 'failed', message: expect.stringContaining('(2) is greater that the number of task frames (1)') }); // prettier-ignore
    await sendFiles(owner, id, { 'b.jpg': await imageFile() }, { sorting_method: 'natural' }).expect(202);
    expect((await processed(app, owner, id)).body.status).toBe('finished');
  });
});
