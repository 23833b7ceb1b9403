import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenJobs } from '../../support/given-jobs.js';

describe('ground truth jobs', () => {
  let app: TestApp;
  let owner: Person;
  let taskId: number;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    taskId = (await givenJobs(app, owner)).id;
  });

  afterAll(() => app.close());

  const post = async (body: object): Promise<{ status: number; body: unknown }> => {
    const { status, body: answer } = await owner.http
      .post('/api/jobs')
      .send({ type: 'ground_truth', task_id: taskId, ...body });
    return { status, body: answer };
  };

  const chosen = async (seed: number): Promise<unknown> => {
    const task = await givenJobs(app, owner, { size: 50, segments: [[0, 49]] });
    await post({ task_id: task.id, frame_selection_method: 'random_uniform', frame_share: 0.2, random_seed: seed });
    const [row] = await app.db.query<{ frames: number[] }>(
      sql`select frames from segment where task_id = ${task.id} and type = 'specific_frames'`,
    );
    return row?.frames;
  };

  it.each([
    [{ task_id: undefined }, ['task_id is not specified']],
    [{ task_id: 99999 }, ['Task matching query does not exist.']],
    [{ type: undefined, frame_selection_method: 'manual' }, { type: ['This field is required.'] }],
    [{}, { frame_selection_method: ['This field is required.'] }],
    [{ frame_selection_method: 'x' }, { frame_selection_method: ['"x" is not a valid choice.'] }],
    [
      { frame_selection_method: 'random_uniform', frame_count: 99 },
      ['The number of frames requested (99) must be not be greater than the number of the task frames (7)'],
    ],
    [
      { frame_selection_method: 'random_per_job', frames_per_job_count: 99 },
      ['The number of frames requested (99) must be not be greater than the segment size (3)'],
    ],
    [{ frame_selection_method: 'manual', frames: [1, 1] }, ['Frames must not repeat']],
    [
      { frame_selection_method: 'manual', frames: [99, 0, 7] },
      ['The following frames do not exist in the task: 7, 99'],
    ],
    [{ frame_selection_method: 'manual', frames: [] }, { frames: ['This list may not be empty.'] }],
    [
      { frame_selection_method: 'manual', frames: [-1] },
      { frames: { 0: ['Ensure this value is greater than or equal to 0.'] } },
    ],
    [{ frame_selection_method: 'manual' }, { non_field_errors: ['The "frames" field is required'] }],
    [
      { frame_selection_method: 'random_uniform', frames: [1], frame_count: 1 },
      { non_field_errors: ['"frames" can only be used when "frame_selection_method" is "manual"'] },
    ],
    [
      { frame_selection_method: 'random_uniform' },
      { non_field_errors: ['One of the fields "frame_count", "frame_share" required'] },
    ],
    [
      { frame_selection_method: 'random_uniform', frame_count: 1, frame_share: 0.5 },
      { non_field_errors: ['Only 1 of the fields "frame_count", "frame_share" can be used'] },
    ],
    [
      { frame_selection_method: 'random_per_job' },
      { non_field_errors: ['One of the fields "frames_per_job_count", "frames_per_job_share" required'] },
    ],
    [
      { frame_selection_method: 'random_uniform', frame_share: 2 },
      { frame_share: ['Value must be in the range [0; 1]'] },
    ],
    [
      { frame_selection_method: 'random_uniform', frame_count: 1, seed: 1, random_seed: 1 },
      { non_field_errors: ['Only 1 of the fields "random_seed", "seed" can be used'] },
    ],
  ])('are refused for %j', async (body, expected) => {
    expect(await post(body)).toEqual({ status: 400, body: expected });
  });

  it('need data, images, and no other', async () => {
    const empty = await owner.http.post('/api/tasks').send({ name: 'empty', labels: [{ name: 'a' }] });
    expect(await post({ task_id: empty.body.id, frame_selection_method: 'manual', frames: [0] })).toEqual({
      status: 400,
      body: ['This task has no data attached yet. Please set up task data and try again'],
    });
    const clouds = await givenJobs(app, owner);
    await app.db.query(sql`update task set dimension = '3d' where id = ${clouds.id}`);
    expect(await post({ task_id: clouds.id, frame_selection_method: 'manual', frames: [0] })).toEqual({
      status: 400,
      body: ['Ground Truth jobs can only be added in 2d tasks'],
    });
    const pool = await givenJobs(app, owner);
    await app.db.query(sql`
      update media_data set validation_mode = 'gt_pool' from task where task.id = ${pool.id} and media_data.id = task.data_id`);
    expect(await post({ task_id: pool.id, frame_selection_method: 'manual', frames: [0] })).toMatchObject({
      status: 400,
    });
  });

  it('contain the given frames, and are deleted with the validation layout', async () => {
    const task = await givenJobs(app, owner);
    const body = { task_id: task.id, frame_selection_method: 'manual', frames: [4, 1] };
    const made = await post(body);
    expect(made).toMatchObject({
      status: 201,
      body: {
        type: 'ground_truth',
        start_frame: 0,
        stop_frame: 6,
        frame_count: 2,
        data_compressed_chunk_type: 'imageset',
      },
    });
    const { id } = made.body as { id: number };
    const layout = () =>
      app.db.query(sql`
        select validation_mode, validation_layout, (select frames from segment where task_id = task.id and type = 'specific_frames')
        from task join media_data on media_data.id = task.data_id where task.id = ${task.id}`);
    expect(await layout()).toEqual([
      {
        validation_mode: 'gt',
        validation_layout: { frames_per_job_count: null, frames: [1, 4], disabled_frames: [] },
        frames: [12, 18],
      },
    ]);
    expect(await post(body)).toEqual({
      status: 400,
      body: ['Task with validation mode "gt" cannot have more than 1 GT job'],
    });
    expect((await owner.http.delete(`/api/jobs/${id}`)).status).toBe(204);
    expect(await layout()).toEqual([{ validation_mode: null, validation_layout: null, frames: null }]);
    expect((await owner.http.get(`/api/jobs/${id}`)).status).toBe(404);
    expect((await post(body)).status).toBe(201);
  });

  it('of a task with a validation pool cannot be removed', async () => {
    const task = await givenJobs(app, owner);
    const made = await post({ task_id: task.id, frame_selection_method: 'random_uniform', frame_count: 2 });
    await app.db.query(sql`
      update media_data set validation_mode = 'gt_pool' from task where task.id = ${task.id} and media_data.id = task.data_id`);
    expect((await owner.http.delete(`/api/jobs/${(made.body as { id: number }).id}`)).status).toBe(400);
  });

  it('choose the same frames for the same seed', async () => {
    const frames = await chosen(7);
    expect(frames).toHaveLength(10);
    expect(await chosen(7)).toEqual(frames);
    expect(await chosen(8)).not.toEqual(frames);
  });

  it('accept seeds of more than 32 bits, as NumPy does', async () => {
    // sorted(np.random.Generator(np.random.MT19937(2**33 + 5)).choice(range(50), 10, replace=False, shuffle=False))
    const frames = [3, 13, 16, 19, 29, 34, 36, 38, 44, 45];
    expect(await chosen(2 ** 33 + 5)).toEqual(frames.map((frame) => 10 + 2 * frame)); // the media's own numbers
  });
});
