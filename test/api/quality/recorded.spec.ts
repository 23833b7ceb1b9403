import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEFAULT_COMPARISON } from '../../../src/engines/quality/settings.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { processed, sendFiles } from '../../support/given-media.js';
import { computedQuality, finishGroundTruth } from '../../support/given-quality.js';
import { imageFile } from '../../support/images.js';
import type { RecordedData } from '../../support/recorded-datasets.js';
import { comparableDocument, describeRecorded, recordedJson } from '../../support/recorded-quality.js';

type RecordedObject = NonNullable<RecordedData['shapes']>[number];
type Settings = Readonly<Record<string, unknown>> & { readonly job_filter?: string };
interface RecordedDocument {
  readonly parameters: object;
  readonly frame_results: object;
  readonly comparison_summary: { readonly annotations: object; readonly annotation_components: object };
}

interface LabelAnswer {
  readonly id: number;
  readonly name: string;
  readonly attributes: readonly { readonly id: number; readonly name: string }[];
  readonly sublabels?: readonly LabelAnswer[];
}

interface Result {
  readonly summary: object;
  readonly jobs: Readonly<Record<string, object>>;
  readonly data: RecordedDocument;
}

const ONLY_ANNOTATIONS = '{"==": [{"var": "type"}, "annotation"]}';

describeRecorded('recorded reports, through the API', () => {
  let app: TestApp;
  let owner: Person;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).admin();
  });
  afterAll(() => app.close());

  const get = async (path: string) => {
    const { status, body } = await owner.http.get(`/api/${path}`);
    expect([path, status]).toEqual([path, 200]);
    return body;
  };

  async function createTask(task: object, images: readonly (readonly [string, number, number])[], parameters = {}) {
    const { body } = await owner.http.post('/api/tasks').send(task).expect(201);
    const { id } = body as { id: number };
    const [, width, height] = images[0] ?? ['', 1, 1];
    const image = await imageFile({ width, height, format: 'png' });
    await sendFiles(owner, id, Object.fromEntries(images.map(([name]) => [name, image])), parameters).expect(202);
    expect((await processed(app, owner, id)).body).toMatchObject({ status: 'finished' });
    return id;
  }

  async function jobsOf(taskId: number): Promise<{ jobs: number[]; groundTruth: number }> {
    const { results } = await get(`jobs?task_id=${taskId}&sort=id&page_size=all`);
    const found = results as { id: number; type: string }[];
    const jobs = found.filter(({ type }) => type !== 'ground_truth').map(({ id }) => id);
    return { jobs, groundTruth: found.find(({ type }) => type === 'ground_truth')?.id ?? 0 };
  }

  const addGroundTruth = (taskId: number, frames: readonly number[]) =>
    owner.http
      .post('/api/jobs')
      .send({ task_id: taskId, type: 'ground_truth', frame_selection_method: 'manual', frames })
      .expect(201);

  /** Replaces the annotations of a job. @returns the ids of its objects: `shape/0`, … */
  async function annotate(jobId: number, taskId: number, data: RecordedData | undefined): Promise<Map<string, string>> {
    const labels = (await get(`labels?task_id=${taskId}&page_size=all`)).results as LabelAnswer[];
    const wire = (object: RecordedObject, among: readonly LabelAnswer[]): object => {
      const { label: name, attributes = {}, elements, shapes, ...rest } = object;
      const label = among.find((each) => each.name === name);
      const values = (each: Readonly<Record<string, string>>) =>
        Object.entries(each).map(([attribute, value]) => ({
          spec_id: label?.attributes.find((spec) => spec.name === attribute)?.id,
          value,
        }));
      return {
        group: 0,
        ...rest,
        label_id: label?.id,
        attributes: values(attributes),
        ...(elements && { elements: elements.map((element) => wire(element, label?.sublabels ?? [])) }),
        ...(shapes && { shapes: shapes.map((shape) => ({ ...shape, attributes: values(shape.attributes ?? {}) })) }),
      };
    };
    const all = { tags: data?.tags ?? [], shapes: data?.shapes ?? [], tracks: data?.tracks ?? [] };
    const body = Object.fromEntries(
      Object.entries(all).map(([kind, list]) => [kind, list.map((each) => wire(each, labels))]),
    );
    const answer = await owner.http.put(`/api/jobs/${jobId}/annotations`).send(body);
    expect([answer.status, JSON.stringify(answer.body).slice(0, 300)]).toEqual([200, expect.anything()]);
    const ids = new Map<string, string>();
    for (const kind of ['tags', 'shapes', 'tracks'] as const) {
      const list = answer.body[kind] as { id: number }[];
      list.forEach(({ id }, at) => ids.set(`${kind.slice(0, -1)}/${id}`, `${kind.slice(0, -1)}/${at}`));
    }
    return ids;
  }

  async function change(query: string, settings: Settings): Promise<void> {
    const { results } = await get(`quality/settings?${query}`);
    await owner.http.patch(`/api/quality/settings/${results[0].id}`).send(settings).expect(200);
  }

  /** Without the numbers that only newer clients know. */
  const summaryOf = async (reportId: number): Promise<object> =>
    JSON.parse(JSON.stringify((await get(`quality/reports/${reportId}`)).summary), (key, value: unknown) =>
      key === 'completed' || key === 'requirements' ? undefined : value,
    ) as object;

  it('have the numbers of CVAT for every type and every setting', async () => {
    const setup = recordedJson('quality/kinds-setup.json') as never as {
      task: object; images: [string, number, number][]; gt_job: { frames: number[] }; gt_annotations: RecordedData;
      annotations: Record<string, RecordedData>;
    }; // prettier-ignore
    const expected = recordedJson('quality/kinds-default.json') as never as Result & { conflicts: object[] };
    const taskId = await createTask(setup.task, setup.images);
    await addGroundTruth(taskId, setup.gt_job.frames);
    const { jobs, groundTruth } = await jobsOf(taskId);
    const names = new Map<number, readonly [string, Map<string, string>]>();
    names.set(groundTruth, ['gt', await annotate(groundTruth, taskId, setup.gt_annotations)]);
    for (const [at, id] of jobs.entries())
      names.set(id, [`job${at}`, await annotate(id, taskId, setup.annotations[`job${at}`])]);
    await finishGroundTruth(owner, groundTruth);
    await change(`task_id=${taskId}`, { job_filter: ONLY_ANNOTATIONS });
    const { result_id: id } = await computedQuality(app, owner, { task_id: taskId });
    expect(await summaryOf(id)).toEqual(expected.summary);

    const { results } = await get(`quality/conflicts?report_id=${id}&page_size=all&sort=id`);
    const named = (results as { frame: number; type: string; severity: string; annotation_ids: { obj_id: number; job_id: number; type: string; shape_type: string }[] }[]).map(
      ({ frame, type, severity, annotation_ids: ids }) => ({
        frame,
        type,
        severity,
        annotations: ids.map((each) => {
          const [job, objects] = names.get(each.job_id) ?? ['', new Map<string, string>()];
          return `${job}/${objects.get(`${each.type}/${each.obj_id}`)}`;
        }),
        shape_types: ids.map((each) => each.shape_type),
      }),
    ); // prettier-ignore
    expect(comparableDocument({ conflicts: named })).toEqual(comparableDocument({ conflicts: expected.conflicts }));

    const document = await get(`quality/reports/${id}/data`);
    const { frame_results: frames, comparison_summary: comparison, parameters } = document;
    expect(parameters).toEqual(expected.data.parameters);
    const withoutConflicts = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(comparableDocument(value)), (key, each: unknown) => (key === 'conflicts' ? [] : each));
    expect(withoutConflicts(frames)).toEqual(withoutConflicts(expected.data.frame_results));
    expect(comparableDocument(comparison.annotations)).toEqual(
      comparableDocument(expected.data.comparison_summary.annotations),
    );

    const { runs } = recordedJson('quality/kinds-settings.json') as never as {
      runs: { settings: Settings; summary: object; failed?: string; jobs: Record<string, object> }[];
    };
    for (const run of runs) {
      const { job_filter: filter = ONLY_ANNOTATIONS } = run.settings;
      const used = filter.replace('$job0', String(jobs[0])).replace('$task', String(taskId));
      await change(`task_id=${taskId}`, { ...DEFAULT_COMPARISON, ...run.settings, job_filter: used });
      const request = await computedQuality(app, owner, { task_id: taskId });
      if (run.failed === undefined)
        expect([run.settings, await summaryOf(request.result_id)]).toEqual([run.settings, run.summary]);
      else expect(request['message']).toContain("filter: 'foo' term is not supported");
    }
  }, 120_000);

  it('have the numbers of CVAT for honeypots, also with disabled and deleted validation frames', async () => {
    const setup = recordedJson('quality/honeypots.json') as never as {
      task: object; images: [string, number, number][]; gt_annotations: RecordedData; annotations: Record<string, RecordedData>;
      jobs: { honeypot_real_frames_patch: number[] }[]; job_validation_layouts: { honeypot_frames: number[] }[];
      result: Result; result_with_disabled_frame: Result; result_with_deleted_frame: Result;
    }; // prettier-ignore
    const taskId = await createTask(setup.task, setup.images, {
      sorting_method: 'random',
      'validation_params.mode': 'gt_pool',
      'validation_params.frame_selection_method': 'manual',
      'validation_params.frames[0]': 'h00.png',
      'validation_params.frames[1]': 'h01.png',
      'validation_params.frames[2]': 'h02.png',
      'validation_params.frames[3]': 'h03.png',
      'validation_params.frames_per_job_count': 2,
    });
    const { jobs, groundTruth } = await jobsOf(taskId);
    await annotate(groundTruth, taskId, setup.gt_annotations);
    for (const [at, id] of jobs.entries()) {
      await owner.http
        .patch(`/api/jobs/${id}/validation_layout`)
        .send({ frame_selection_method: 'manual', honeypot_real_frames: setup.jobs[at]?.honeypot_real_frames_patch })
        .expect(200);
      const here = (await get(`jobs/${id}/validation_layout`)).honeypot_frames as number[];
      const there = setup.job_validation_layouts[at]?.honeypot_frames ?? [];
      const { start_frame: start, stop_frame: stop } = await get(`jobs/${id}`);
      const all = Array.from({ length: stop - start + 1 }, (_, index) => start + index);
      const pairs = [
        ...there.map((frame, index) => [frame, here[index]] as const),
        ...all.filter((frame) => !there.includes(frame)).map((frame, index) => [frame, all.filter((each) => !here.includes(each))[index]] as const),
      ]; // prettier-ignore
      const frameOf = new Map(pairs);
      const shapes = (setup.annotations[`job${at}`]?.shapes ?? []).map((shape) => ({
        ...shape,
        frame: frameOf.get(shape.frame) ?? 0,
      }));
      await annotate(id, taskId, { shapes });
    }
    await finishGroundTruth(owner, groundTruth);
    await change(`task_id=${taskId}`, { job_filter: ONLY_ANNOTATIONS });
    const summary = async () => summaryOf((await computedQuality(app, owner, { task_id: taskId })).result_id);
    expect(await summary()).toEqual(setup.result.summary);
    const layout = (disabled_frames: number[]) =>
      owner.http.patch(`/api/tasks/${taskId}/validation_layout`).send({ disabled_frames }).expect(200);
    await layout([13]);
    expect(await summary()).toEqual(setup.result_with_disabled_frame.summary);
    await layout([]);
    await owner.http
      .patch(`/api/jobs/${groundTruth}/data/meta`)
      .send({ deleted_frames: [12] })
      .expect(200);
    expect(await summary()).toEqual(setup.result_with_deleted_frame.summary);
  }, 60_000);

  it('have the numbers of CVAT for a project', async () => {
    const setup = recordedJson('quality/project.json') as never as {
      project: object; project_settings: Settings; result: Result; tasks: {
        task: string; segment_size: number; images: [string, number, number][]; gt_frames: number[] | null; gt_finished: boolean;
        jobs_stage: string; settings: Settings; gt_annotations: RecordedData; annotations: Record<string, RecordedData>;
      }[];
    }; // prettier-ignore
    const { body: project } = await owner.http.post('/api/projects').send(setup.project).expect(201);
    for (const each of setup.tasks) {
      const taskId = await createTask(
        { name: each.task, project_id: project.id, segment_size: each.segment_size },
        each.images,
      );
      if ((each.gt_frames ?? []).length > 0) await addGroundTruth(taskId, each.gt_frames ?? []);
      const { jobs, groundTruth } = await jobsOf(taskId);
      if (groundTruth !== 0) await annotate(groundTruth, taskId, each.gt_annotations);
      for (const [at, id] of jobs.entries()) await annotate(id, taskId, each.annotations[`${each.task}/job${at}`]);
      for (const id of jobs) await owner.http.patch(`/api/jobs/${id}`).send({ stage: each.jobs_stage }).expect(200);
      if (groundTruth !== 0 && each.gt_finished) await finishGroundTruth(owner, groundTruth);
      if (Object.keys(each.settings).length > 0) await change(`task_id=${taskId}`, each.settings);
    }
    await change(`project_id=${project.id}&parent_type=project`, setup.project_settings);
    const { result_id: first } = await computedQuality(app, owner, { project_id: project.id });
    expect(await summaryOf(first)).toEqual(setup.result.summary);
    const { comparison_summary: comparison, parameters, conflicts } = await get(`quality/reports/${first}/data`);
    expect([parameters, conflicts]).toEqual([setup.result.data.parameters, []]);
    const { annotations, annotation_components: components } = setup.result.data.comparison_summary;
    expect(comparison).toMatchObject({ annotations, annotation_components: components });
    const { result_id: second } = await computedQuality(app, owner, { project_id: project.id });
    expect(await summaryOf(second)).toEqual(setup.result.summary);
    const parts = async (id: number) =>
      ((await get(`quality/reports?parent_id=${id}&target=task`)).results as { id: number }[]).map((part) => part.id);
    const before = await parts(first);
    expect((await parts(second)).filter((id) => before.includes(id))).toEqual([]);
  }, 60_000);
});
