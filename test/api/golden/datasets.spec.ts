import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { ended } from '../../support/given-exchange.js';

const folder = join(import.meta.dirname, '../../../../shared/golden/formats/images2d-project');
const isThere = existsSync(folder);
if (!isThere) console.info('skipped: the recorded datasets are not here');

interface Recorded {
  readonly labels: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[];
  readonly tasks: readonly {
    readonly name: string;
    readonly frames: readonly string[];
    readonly annotations: { readonly shapes: readonly Shape[] };
  }[];
}

interface Named {
  readonly name: string;
}

interface Attribute extends Named {
  readonly input_type: string;
  readonly values: readonly string[];
}

interface Shape {
  readonly label: string;
  readonly type: string;
  readonly frame: number;
  readonly points: readonly number[];
}

/** Names of attributes that CVAT adds to all labels, and this server does not use. */
const CVAT_ONLY = new Set(['is_crowd']);

(isThere ? describe : describe.skip)('recorded datasets, imported into a project without labels', () => {
  let app: TestApp;
  let owner: Person;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });

  afterAll(() => app.close());

  const get = async <T>(path: string): Promise<T> => (await owner.http.get(path).expect(200)).body as T;

  it.each(['COCO 1.0', 'YOLO 1.1'])('become the same labels, tasks and rectangles: %s', async (format) => {
    const file = join(folder, format.toLowerCase().replace(' ', '-'));
    const recorded = JSON.parse(readFileSync(`${file}.images.imported-into-empty.json`, 'utf8')) as Recorded;
    const created = await owner.http.post('/api/projects').send({ name: 'empty' }).expect(201);
    const { id } = created.body as { id: number };
    const asked = await owner.http
      .post(`/api/projects/${id}/dataset/`)
      .query({ format })
      .attach('dataset_file', readFileSync(`${file}.images.zip`), {
        filename: 'a.zip',
        contentType: 'application/zip',
      });
    expect(await ended(app, owner, asked)).toMatchObject({ status: 'finished', message: '' });

    const { results: labels } = await get<{ results: (Recorded['labels'][number] & { id: number })[] }>(
      `/api/labels?project_id=${id}&sort=id`,
    );
    const parts = (list: Recorded['labels']): unknown[] =>
      list.map(({ name, attributes }) => [
        name,
        attributes
          .filter((attribute) => !CVAT_ONLY.has(attribute.name))
          .map(({ name: attribute, input_type, values }) => [attribute, input_type, values]),
      ]);
    expect(parts(labels)).toEqual(parts(recorded.labels));

    const { results: tasks } = await get<{ results: { id: number; name: string }[] }>(
      `/api/tasks?project_id=${id}&sort=name`,
    );
    const names = new Map(labels.map((label) => [label.id, label.name]));
    const found = [];
    for (const task of tasks) {
      const { frames } = await get<{ frames: Named[] }>(`/api/tasks/${task.id}/data/meta`);
      const { shapes } = await get<{ shapes: (Shape & { label_id: number })[] }>(`/api/tasks/${task.id}/annotations`);
      const named = shapes.map((shape) => ({ ...shape, label: names.get(shape.label_id) ?? '' }));
      found.push({ name: task.name, frames: frames.map(({ name }) => name), rectangles: rectanglesOf(named) });
    }
    expect(found).toEqual(
      recorded.tasks.map(({ name, frames, annotations }) => ({
        name,
        frames,
        rectangles: rectanglesOf(annotations.shapes),
      })),
    );
  });
});

const rectanglesOf = (shapes: readonly Shape[]): unknown[] =>
  shapes
    .filter(({ type }) => type === 'rectangle')
    .map(({ label, frame, points }) => [frame, label, points.map((value) => Math.round(value * 100) / 100)])
    .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
