import { sql } from '../../src/engines/sql/sql.js';
import type { TestApp } from './app.js';
import type { Person } from './given.js';
import { givenJobs, type JobsOptions } from './given-jobs.js';

/** Ids of the objects that `givenAnnotatable` creates. */
export interface Annotatable {
  readonly taskId: number;
  readonly projectId: number;
  readonly jobs: readonly number[];
  /** Path of the annotations of the job with this index. */
  readonly ofJob: (index?: number) => string;
  readonly ofTask: string;
  readonly labels: { readonly car: number; readonly dog: number; readonly person: number };
  readonly joints: readonly [number, number];
  /** Attributes of the car: `parked` is mutable (default false), `make` is not (default none). */
  readonly attributes: { readonly parked: number; readonly make: number };
}

const LABELS = [
  {
    name: 'car',
    attributes: [
      { name: 'parked', mutable: true, input_type: 'checkbox', default_value: 'false', values: [] },
      { name: 'make', mutable: false, input_type: 'text', default_value: 'none', values: [] },
    ],
  },
  { name: 'dog', attributes: [] },
  {
    name: 'person',
    type: 'skeleton',
    svg: '<circle data-label-name="head"></circle>',
    sublabels: [
      { name: 'head', type: 'points', attributes: [] },
      { name: 'foot', type: 'points', attributes: [] },
    ],
  },
];

export interface AnnotatableOptions extends Pick<JobsOptions, 'size' | 'segments' | 'replicas'> {
  readonly overlap?: number;
  readonly dimension?: '2d' | '3d';
}

/** Creates a task in a project with a label of each type, and the data that annotations need. One job by default. */
export async function givenAnnotatable(
  app: TestApp,
  owner: Person,
  options: AnnotatableOptions = {},
): Promise<Annotatable> {
  const project = await owner.http.post('/api/projects').send({ name: 'p', labels: LABELS });
  const projectId: number = project.body.id;
  const { overlap = 0, dimension = '2d', segments = [[0, 9]], ...more } = options; // prettier-ignore
  const task = await givenJobs(app, owner, { projectId, size: 10, segments, ...more });
  await app.db.query(sql`update task set overlap = ${overlap}, dimension = ${dimension} where id = ${task.id}`);
  const rows = await app.db.query<{ id: number; name: string }>(
    sql`select id, name from label where project_id = ${projectId} order by id`,
  );
  const specs = await app.db.query<{ id: number; name: string }>(sql`
    select a.id, a.name from attribute_spec a join label on label.id = label_id where project_id = ${projectId}`);
  const id = (list: { id: number; name: string }[], name: string): number =>
    list.find((row) => row.name === name)?.id ?? 0;
  return {
    taskId: task.id,
    projectId,
    jobs: task.jobs,
    ofJob: (index = 0) => `/api/jobs/${task.jobs[index]}/annotations`,
    ofTask: `/api/tasks/${task.id}/annotations`,
    labels: { car: id(rows, 'car'), dog: id(rows, 'dog'), person: id(rows, 'person') },
    joints: [id(rows, 'head'), id(rows, 'foot')],
    attributes: { parked: id(specs, 'parked'), make: id(specs, 'make') },
  };
}

/** A rectangle in the form that clients send. */
export const rectangle = (labelId: number, frame: number, more: Record<string, unknown> = {}) => ({
  type: 'rectangle',
  label_id: labelId,
  frame,
  points: [1, 2, 30, 40.5],
  attributes: [],
  ...more,
});
