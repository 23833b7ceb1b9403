import type { Response } from 'supertest';
import { RequestWorker } from '../../src/modules/requests/index.js';
import type { TestApp } from './app.js';
import type { Person } from './given.js';
import { imageFile } from './images.js';

export interface TaskOptions {
  readonly segment_size?: number;
  readonly overlap?: number;
  readonly consensus_replicas?: number;
  readonly initial_replicas?: number;
  readonly project_id?: number;
  /** Default: `car`. */
  readonly labels?: readonly object[];
}

/** Parameters of a task with a pool of two honeypots, one of which is in each job. */
export const POOL = {
  sorting_method: 'random',
  'validation_params.mode': 'gt_pool',
  'validation_params.frame_selection_method': 'random_uniform',
  'validation_params.frame_count': 2,
  'validation_params.frames_per_job_count': 1,
};

/** Creates a task without data. */
export async function givenTask(owner: Person, options: TaskOptions = {}): Promise<number> {
  const labels = options.project_id === undefined ? { labels: [{ name: 'car' }] } : {};
  const created = await owner.http.post('/api/tasks').send({ name: 'media', ...labels, ...options });
  if (created.status !== 201) throw new Error(`no task: ${JSON.stringify(created.body)}`);
  return (created.body as { id: number }).id;
}

/** Uploads files and parameters in one form. */
export function sendFiles(
  owner: Person,
  taskId: number,
  files: Readonly<Record<string, Buffer>>,
  parameters: Readonly<Record<string, string | number>> = {},
) {
  const request = owner.http.post(`/api/tasks/${taskId}/data`);
  for (const [name, value] of Object.entries({ image_quality: 70, ...parameters }))
    void request.field(name, String(value));
  Object.entries(files).forEach(([name, data], index) => void request.attach(`client_files[${index}]`, data, name));
  return request;
}

/** Processes all pending requests, and reads the request that created a task. */
export async function processed(app: TestApp, owner: Person, taskId: number): Promise<Response> {
  await app.app.get(RequestWorker).drain();
  return owner.http.get(`/api/requests/${encodeURIComponent(`action=create&target=task&target_id=${taskId}`)}`);
}

/** Creates a task of `count` small JPEGs named `img_00.jpg`, …, ready to be read. */
export async function givenPhotos(
  app: TestApp,
  owner: Person,
  count: number,
  options: TaskOptions = {},
  parameters: Readonly<Record<string, string | number>> = {},
): Promise<{ id: number; files: Record<string, Buffer> }> {
  const id = await givenTask(owner, options);
  const entries = Array.from({ length: count }, async (_, index): Promise<[string, Buffer]> => [
    `img_${String(index).padStart(2, '0')}.jpg`,
    await imageFile({ red: index * 20 }),
  ]);
  const files = Object.fromEntries(await Promise.all(entries));
  await sendFiles(owner, id, files, parameters).expect(202);
  const request = await processed(app, owner, id);
  if (request.body.status !== 'finished') throw new Error(`not processed: ${JSON.stringify(request.body)}`);
  return { id, files };
}
