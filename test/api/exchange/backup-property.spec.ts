import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { backupOf, restored } from '../../support/given-backup.js';
import { Given, type Person } from '../../support/given.js';
import { POOL, processed, sendFiles } from '../../support/given-media.js';
import { imageFile } from '../../support/images.js';
import { describeWithFfmpeg, numberedVideo } from '../../support/videos.js';

type Json = Record<string, unknown>;

interface Attribute {
  readonly id: number;
  readonly name: string;
}

interface Label extends Json {
  readonly id: number;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly sublabels?: readonly Label[];
  readonly svg?: string;
}

interface Job extends Json {
  readonly id: number;
  readonly type: string;
  readonly parent_job_id: number | null;
  readonly start_frame: number;
  readonly stop_frame: number;
}

const node = (name: string, id: number): string =>
  `<circle data-type="element node" data-element-id="${id}" data-node-id="${id}" data-label-name="${name}"></circle>`;

const LABELS = [
  {
    name: 'car "A" & <b>',
    color: '#aa00bb',
    attributes: [
      { name: 'parked', mutable: true, input_type: 'checkbox', default_value: 'false', values: ['false'] },
      { name: 'make', mutable: false, input_type: 'select', default_value: 'bmw', values: ['bmw', 'vw'] },
    ],
  },
  {
    name: 'person',
    type: 'skeleton',
    svg: node('head', 1) + node('left &quot;foot&quot;', 2),
    sublabels: [
      { name: 'head', type: 'points', attributes: [] },
      { name: 'left "foot"', type: 'points', attributes: [] },
    ],
    attributes: [],
  },
];

/** How to create a task, and what to do with its jobs; numbers are fractions of what the task has. */
const plans = fc.record({
  size: fc.integer({ min: 3, max: 7 }),
  segment_size: fc.integer({ min: 2, max: 7 }),
  overlap: fc.integer({ min: 0, max: 2 }),
  consensus_replicas: fc.constantFrom(0, 2, 3),
  validation: fc.constantFrom('none', 'gt', 'gt_pool'),
  /** Jobs with listed files instead of equal ranges. */
  mapped: fc.boolean(),
  deleted: fc.option(fc.nat()),
  disabled: fc.boolean(),
  jobs: fc.array(
    fc.record({
      stage: fc.constantFrom('annotation', 'validation', 'acceptance'),
      state: fc.constantFrom('new', 'in progress', 'completed', 'rejected'),
      objects: fc.array(
        fc.record({
          kind: fc.constantFrom('tag', 'rectangle', 'polygon', 'polyline', 'points', 'ellipse', 'cuboid', 'mask', 'skeleton', 'track', 'tracked skeleton'),
          frame: fc.nat(),
          group: fc.nat(3),
          source: fc.constantFrom('manual', 'auto', 'semi-auto', 'file'),
          occluded: fc.boolean(),
          outside: fc.boolean(),
          z_order: fc.integer({ min: -2, max: 5 }),
          rotation: fc.constantFrom(0, 12.5, 359.99),
          score: fc.constantFrom(1, 0.25, 0),
          value: fc.constantFrom('true', 'false'),
          make: fc.option(fc.constantFrom('bmw', 'vw')),
          x: fc.constantFrom(0, 1.5, 3.123456, 8),
        }),
        { maxLength: 5 },
      ),
    }),
    { minLength: 12, maxLength: 12 },
  ),
}); // prettier-ignore

type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;
type Wanted = Plan['jobs'][number]['objects'][number];

const POINTS: Readonly<Record<string, (x: number) => number[]>> = {
  rectangle: (x) => [x, 1, x + 4, 9],
  polygon: (x) => [x, 1, x + 4, 1, x + 4, 5.25],
  polyline: (x) => [x, 1, x + 4, 5],
  points: (x) => [x, 1, x + 4, 5, 2, 2],
  ellipse: (x) => [x + 5, 8, x + 9, 4],
  cuboid: (x) => [x, 1, x, 5, x + 3, 1, x + 3, 5, x + 5, 2, x + 5, 6, x + 2, 2, x + 2, 6],
  mask: (x) => [1, 2, 3, Math.floor(x), 1, Math.floor(x) + 2, 2],
};

/** The body of a save with the wanted objects on the frames of a job. */
function bodyOf(objects: readonly Wanted[], frames: readonly number[], [car, person]: readonly Label[]): Json {
  const body: Record<'tags' | 'shapes' | 'tracks', Json[]> = { tags: [], shapes: [], tracks: [] };
  if (car === undefined || person === undefined) throw new Error('The labels are missing');
  const specs = new Map(car.attributes.map(({ id, name }) => [name, id]));
  const joints = person.sublabels ?? [];
  for (const { kind, frame: part, group, source, value, make, x, score, ...more } of objects) {
    const frame = frames[part % frames.length] ?? 0;
    const later = frames.filter((other) => other > frame).at(-1);
    const fixed = make === null ? [] : [{ spec_id: specs.get('make'), value: make }];
    const mutable = [{ spec_id: specs.get('parked'), value }];
    const own = { frame, group, source };
    const geometry = { occluded: more.occluded, z_order: more.z_order };
    if (kind === 'tag') body.tags.push({ ...own, label_id: car.id, attributes: fixed });
    else if (kind === 'skeleton') {
      const elements = joints.map(({ id }) => ({ ...own, ...geometry, outside: more.outside, score, type: 'points', points: [x, x], label_id: id, attributes: [] })); // prettier-ignore
      body.shapes.push({ ...own, ...geometry, score, type: 'skeleton', points: [], label_id: person.id, attributes: [], elements }); // prettier-ignore
    } else if (kind === 'track' || kind === 'tracked skeleton') {
      const isTrack = kind === 'track';
      const keyframes = (type: string, points: number[]) =>
        [frame, ...(later === undefined ? [] : [later])].map((at, index) => ({
          ...geometry, type, points, frame: at, outside: index > 0 && more.outside, rotation: isTrack ? more.rotation : 0, attributes: isTrack ? mutable : [],
        })); // prettier-ignore
      body.tracks.push({
        ...own,
        label_id: isTrack ? car.id : person.id,
        attributes: isTrack ? fixed : [],
        shapes: isTrack ? keyframes('rectangle', POINTS['rectangle']?.(x) ?? []) : keyframes('skeleton', []),
        elements: isTrack ? [] : joints.map(({ id }) => ({ ...own, label_id: id, attributes: [], shapes: keyframes('points', [x, x]) })), // prettier-ignore
      });
    } else {
      const rotation = kind === 'rectangle' || kind === 'ellipse' ? more.rotation : 0;
      const attributes = [...fixed, ...mutable];
      body.shapes.push({ ...own, ...geometry, rotation, score, type: kind, points: POINTS[kind]?.(x) ?? [], label_id: car.id, attributes }); // prettier-ignore
    }
  }
  return body;
}

describe('backups of random tasks', () => {
  let app: TestApp;
  let owner: Person;
  let images: Record<string, Buffer>;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    const all = [0, 1, 2, 3, 4, 5, 6].map(async (at) => [`d/img_${at}.jpg`.replace('/', '_'), await imageFile({ red: at * 30 })] as const); // prettier-ignore
    images = Object.fromEntries(await Promise.all(all));
  });

  afterAll(() => app.close());

  beforeEach(() => app.db.query(sql`delete from background_request`));

  const get = async <T = Json>(path: string): Promise<T> => {
    const { status, body } = await owner.http.get(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body as T;
  };
  const labelsOf = async (task: number): Promise<Label[]> =>
    (await get<{ results: Label[] }>(`/api/labels?task_id=${task}&sort=id`)).results;
  const jobsOf = async (task: number): Promise<Job[]> =>
    (await get<{ results: Job[] }>(`/api/jobs?task_id=${task}&sort=id&page_size=all`)).results;

  /** The frames of a job that has only some of its range, as annotations number them. */
  async function includedOf(job: number): Promise<number[] | undefined> {
    type Meta = { included_frames: number[] | null; start_frame: number; frame_filter: string };
    const { included_frames: source, start_frame: start, frame_filter: filter } = await get<Meta>(`/api/jobs/${job}/data/meta`); // prettier-ignore
    const step = Number(filter.split('=')[1] ?? 1);
    return source?.map((frame) => (frame - start) / step);
  }

  async function made(
    plan: Plan,
    files: Readonly<Record<string, Buffer>>,
    more: Readonly<Record<string, string | number>> = {},
  ): Promise<number> {
    const { segment_size, overlap, consensus_replicas } = plan;
    const isMapped = plan.mapped && plan.validation !== 'gt_pool';
    const cut = isMapped ? {} : { segment_size, overlap };
    const body = { name: 'any', subset: 'a', labels: LABELS, consensus_replicas, ...cut };
    const mapping = Object.keys(files).map((name, at) => [`job_file_mapping[${at % 2}][${Math.floor(at / 2)}]`, name]);
    const { id } = (await owner.http.post('/api/tasks').send(body).expect(201)).body as { id: number };
    const parameters = {
      none: {},
      gt: {
        'validation_params.mode': 'gt',
        'validation_params.frame_selection_method': 'random_uniform',
        'validation_params.frame_count': 2,
      },
      gt_pool: POOL,
    }[plan.validation];
    const all = { ...parameters, ...(isMapped ? Object.fromEntries(mapping) : {}), ...more };
    await sendFiles(owner, id, files, all).expect(202);
    const { body: request } = await processed(app, owner, id);
    if (request.status !== 'finished') throw new Error(String(request.message));
    const labels = await labelsOf(id);
    for (const [index, job] of (await jobsOf(id)).entries()) {
      const { stage, state, objects } = plan.jobs[index % plan.jobs.length] ?? { stage: 'annotation', state: 'new', objects: [] }; // prettier-ignore
      const included = await includedOf(job.id);
      const range = Array.from({ length: job.stop_frame - job.start_frame + 1 }, (_, at) => job.start_frame + at);
      // Tracks are rejected in tasks with honeypots.
      const possible = objects.filter(({ kind }) => plan.validation !== 'gt_pool' || !kind.startsWith('track'));
      const annotations = bodyOf(possible, included ?? range, labels);
      const saved = await owner.http.put(`/api/jobs/${job.id}/annotations`).send(annotations);
      if (saved.status !== 200) throw new Error(JSON.stringify(saved.body));
      await owner.http.patch(`/api/jobs/${job.id}`).send({ stage, state }).expect(200);
    }
    await deleteFrames(id, plan);
    return id;
  }

  async function deleteFrames(id: number, { validation, deleted, disabled }: Plan): Promise<void> {
    const { validation_frames: frames = [] } = await get<{ validation_frames?: number[] }>(`/api/tasks/${id}/validation_layout`); // prettier-ignore
    const { size } = await get<{ size: number }>(`/api/tasks/${id}`);
    if (deleted !== null && validation !== 'gt_pool') {
      await owner.http.patch(`/api/tasks/${id}/data/meta`).send({ deleted_frames: [deleted % size] }).expect(200); // prettier-ignore
    }
    if (disabled && frames.length > 0) {
      await owner.http.patch(`/api/tasks/${id}/validation_layout`).send({ disabled_frames: frames.slice(0, 1) }).expect(200); // prettier-ignore
    }
  }

  /** Everything about a task that is the same on every server: names instead of ids, and positions instead of jobs. */
  async function described(id: number): Promise<Json> {
    const labels = await labelsOf(id);
    const all = labels.flatMap((label) => [label, ...(label.sublabels ?? [])]);
    const names = new Map(all.map((label) => [label.id, label.name]));
    const specs = new Map(all.flatMap(({ attributes }) => attributes.map((spec) => [spec.id, spec.name])));
    const portable = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (key, entry: unknown) => {
          if (key === 'label_id') return names.get(Number(entry)) ?? 'unknown label';
          if (key === 'spec_id') return specs.get(Number(entry)) ?? 'unknown attribute';
          if (key === 'svg') return String(entry).replaceAll(/data-label-id="(\d+)"/g, (_, label) => names.get(Number(label)) ?? 'unknown label'); // prettier-ignore
          return ['id', 'url', 'task_id', 'created_date', 'updated_date', 'chunks_updated_date'].includes(key) ? undefined : entry; // prettier-ignore
        }),
      ) as unknown;
    const pick = (object: Json, keys: string): Json =>
      Object.fromEntries(keys.split(' ').map((key) => [key, object[key]]));
    const jobs = await jobsOf(id);
    return {
      task: pick(await get(`/api/tasks/${id}`), 'name subset size mode dimension overlap segment_size image_quality data_chunk_size data_compressed_chunk_type data_original_chunk_type validation_mode consensus_enabled'), // prettier-ignore
      labels: portable(labels),
      meta: portable(await get(`/api/tasks/${id}/data/meta`)),
      layout: await get(`/api/tasks/${id}/validation_layout`),
      annotations: portable(await get(`/api/tasks/${id}/annotations`)),
      jobs: await Promise.all(
        jobs.map(async (job) => ({
          ...pick(job, 'type stage state status start_frame stop_frame frame_count consensus_replicas'),
          parent: jobs.findIndex((other) => other.id === job.parent_job_id),
          meta: portable(await get(`/api/jobs/${job.id}/data/meta`)),
          layout: await get(`/api/jobs/${job.id}/validation_layout`),
          annotations: portable(await get(`/api/jobs/${job.id}/annotations`)),
        })),
      ),
    };
  }

  async function expectTheSameAfterwards(id: number): Promise<void> {
    const { body } = await restored(app, owner, 'tasks', await backupOf(app, owner, 'tasks', id));
    expect(body).toMatchObject({ status: 'finished', message: '' });
    expect(await described(body.result_id as number)).toEqual(await described(id));
  }

  it('restore everything, with every type of job', async () => {
    const kinds = new Set<string>();
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const id = await made(plan, Object.fromEntries(Object.entries(images).slice(0, plan.size)));
        for (const { type } of await jobsOf(id)) kinds.add(type);
        await expectTheSameAfterwards(id);
      }),
      { numRuns: 12, examples: EXAMPLES, endOnFailure: true },
    );
    expect([...kinds].toSorted((a, b) => a.localeCompare(b))).toEqual(['annotation', 'consensus_replica', 'ground_truth']); // prettier-ignore
  });

  describeWithFfmpeg('of a video', () => {
    it('restore the examples, too', async () => {
      const files = { 'clip.mp4': numberedVideo({ frames: 7 }) };
      for (const [plan] of EXAMPLES) {
        if (plan.validation === 'gt_pool') continue;
        await expectTheSameAfterwards(await made(plan, files));
        await expectTheSameAfterwards(await made(plan, files, { start_frame: 1, frame_filter: 'step=2' }));
      }
    });
  });
});

const wanted = (kind: Wanted['kind'], frame: number): Wanted => ({ kind, frame, group: 1, source: 'auto', occluded: true, outside: true, z_order: 3, rotation: 12.5, score: 0.25, value: 'true', make: 'vw', x: 3.123456 }); // prettier-ignore
const job = (stage: 'annotation' | 'validation', ...kinds: Wanted['kind'][]): Plan['jobs'][number] => ({ stage, state: 'in progress', objects: kinds.map(wanted) }); // prettier-ignore

/** Replicas, ground truth and honeypots, each with its own annotations; and a task of one job with an overlap. */
const EXAMPLES: [Plan][] = (['none', 'gt', 'gt_pool'] as const).map((validation) => [
  {
    size: 7,
    segment_size: validation === 'none' ? 7 : 3,
    overlap: 1,
    consensus_replicas: 2,
    validation,
    mapped: false,
    deleted: 2,
    disabled: true,
    jobs: [
      job('validation', 'rectangle', 'track', 'tag'),
      job('annotation', 'mask', 'tracked skeleton'),
      job('validation', 'skeleton', 'cuboid', 'ellipse'),
      job('annotation', 'polygon', 'polyline', 'points', 'track'),
    ],
  },
]); // prettier-ignore
