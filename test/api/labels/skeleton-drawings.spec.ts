import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { backupOf, restored } from '../../support/given-backup.js';
import { processed, sendFiles } from '../../support/given-media.js';
import { imageFile } from '../../support/images.js';

const EVIL =
  '<script>alert(1)</script><circle r="1" onload="alert(1)" data-label-name="head"></circle>' +
  '<foreignObject><body onload="alert(1)"></body></foreignObject><a href="javascript:alert(1)"><g></g></a>';
const SKELETON = {
  name: 'body',
  type: 'skeleton',
  attributes: [],
  svg: EVIL,
  sublabels: [{ name: 'head', type: 'points' }],
};

describe('scripts in the drawing of a skeleton are removed', () => {
  let app: TestApp;
  let owner: Person;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });
  afterAll(() => app.close());

  const created = async (kind: string, labels: object[], project_id?: number): Promise<number> =>
    (await owner.http.post(`/api/${kind}`).send({ name: 'x', labels, project_id }).expect(201)).body.id;

  const expectSafe = async (kind: string, id: number): Promise<void> => {
    const { body } = await owner.http.get(`/api/labels?${kind.slice(0, -1)}_id=${id}`).expect(200);
    const { svg, sublabels } = body.results.find(({ type }: { type: string }) => type === 'skeleton');
    expect(svg).toBe(`<circle r="1" data-label-id="${sublabels[0].id}"></circle><g></g>`);
  };

  it.each(['tasks', 'projects'])('in new %s', async (kind) => {
    await expectSafe(kind, await created(kind, [SKELETON]));
  });

  it.each(['tasks', 'projects'])('in labels that are added to %s', async (kind) => {
    const id = await created(kind, [{ name: 'car', attributes: [] }]);
    await owner.http
      .patch(`/api/${kind}/${id}`)
      .send({ labels: [SKELETON] })
      .expect(200);
    await expectSafe(kind, id);
  });

  it.each(['tasks', 'projects'] as const)('in restored backups of %s', async (kind) => {
    const id = await created(kind, [SKELETON]);
    const task = kind === 'tasks' ? id : await created('tasks', [], id);
    await sendFiles(owner, task, { 'a.jpg': await imageFile() }).expect(202);
    await processed(app, owner, task);
    await app.db.query(sql`update label set svg = replace(${EVIL}, 'data-label-name="head"', 'data-label-id="' ||
      (select id from label as element where element.parent_id = label.id) || '"') where type = 'skeleton'`);
    const { body: request } = await restored(app, owner, kind, await backupOf(app, owner, kind, id));
    await expectSafe(kind, request.result_id);
  });
});
