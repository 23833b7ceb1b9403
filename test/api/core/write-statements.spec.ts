import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { rectangle } from '../../support/given-annotations.js';
import { givenJobs } from '../../support/given-jobs.js';
import { expectConstantStatements } from '../../support/statements.js';

const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const named = (count: number): { name: string }[] => times(count).map((index) => ({ name: `label ${index}` }));

const tag = (labelId: number, frame: number): object => ({ label_id: labelId, frame, attributes: [] });

describe('the number of statements of writes', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
  });

  afterAll(() => app.close());

  async function organization(count: number): Promise<{ id: number; slug: string; members: Person[] }> {
    const members = await Promise.all(times(count).map(() => given.person()));
    const roles = members.map((person) => ({ person, role: 'worker' }));
    return { ...(await given.organization(owner, roles)), members };
  }

  async function project(count: number, labels: readonly object[] = [{ name: 'car' }]): Promise<number> {
    const made = await owner.http.post('/api/projects').send({ name: 'p', labels });
    for (let task = 0; task < count; task += 1) await givenJobs(app, owner, { projectId: made.body.id });
    return made.body.id;
  }

  const answered =
    (status: number, request: () => PromiseLike<{ status: number; body: unknown }>) => async (): Promise<void> => {
      const answer = await request();
      if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
    };

  it('does not grow with the members of a transferred organization', () =>
    expectConstantStatements(async (count) => {
      const { id, members } = await organization(count);
      return answered(200, () =>
        owner.http.post(`/api/organizations/${id}/transfer`).send({ user_id: members[0]?.id }),
      );
    }));

  it('does not grow with the contents of a deleted organization', () =>
    expectConstantStatements(async (count) => {
      const { id, slug } = await organization(count);
      for (let task = 0; task < count; task += 1) await givenJobs(app, owner, { organization: slug });
      return answered(204, () => owner.http.delete(`/api/organizations/${id}`));
    }));

  it('does not grow with the work of a member who leaves', () =>
    expectConstantStatements(async (count) => {
      const { slug, members } = await organization(1);
      for (let task = 0; task < count; task += 1) {
        const { jobs } = await givenJobs(app, owner, { organization: slug });
        await owner.http.patch(`/api/jobs/${jobs[0]}`).send({ assignee: members[0]?.id });
      }
      const list = await owner.http.get(`/api/memberships?org=${slug}&user=${members[0]?.username}`);
      return answered(204, () => owner.http.delete(`/api/memberships/${list.body.results[0].id}`));
    }));

  it('does not grow with what a deleted account owns', async () => {
    const admin = await given.admin();
    await expectConstantStatements(async (count) => {
      const person = await given.person();
      for (let task = 0; task < count; task += 1) await givenJobs(app, person);
      return answered(204, () => admin.http.delete(`/api/users/${person.id}`));
    });
  });

  it('does not grow with the tasks of an assigned project', () =>
    expectConstantStatements(async (count) => {
      const id = await project(count);
      return answered(200, () => owner.http.patch(`/api/projects/${id}`).send({ assignee_id: owner.id }));
    }));

  it('does not grow with the labels of a new project', () =>
    expectConstantStatements((count) =>
      Promise.resolve(answered(201, () => owner.http.post('/api/projects').send({ name: 'p', labels: named(count) }))),
    ));

  it('does not grow with the added labels', () =>
    expectConstantStatements(async (count) => {
      const id = await project(1);
      return answered(200, () => owner.http.patch(`/api/projects/${id}`).send({ labels: named(count) }));
    }));

  it('does not grow with renamed or deleted labels', async () => {
    for (const change of [
      (label: object, index: number) => ({ ...label, name: `new ${index}` }),
      (label: object) => ({ ...label, deleted: true }),
    ])
      await expectConstantStatements(async (count) => {
        const id = await project(1, named(count + 1));
        const labels = await owner.http.get(`/api/labels?project_id=${id}&page_size=100`);
        const changed = labels.body.results.slice(0, count).map(({ id: label }: { id: number }) => ({ id: label }));
        return answered(200, () => owner.http.patch(`/api/projects/${id}`).send({ labels: changed.map(change) }));
      });
  });

  it('does not grow with the tasks annotated with deleted labels', () =>
    expectConstantStatements(async (count) => {
      const id = await project(0, named(2));
      const labels = await owner.http.get(`/api/labels?project_id=${id}`);
      const [first, second] = labels.body.results.map((label: { id: number }) => label.id);
      for (let task = 0; task < count; task += 1) {
        const { id: taskId } = await givenJobs(app, owner, { projectId: id });
        const body = { shapes: [rectangle(first, 0), rectangle(second, 3)], tags: [tag(first, 1), tag(second, 6)] };
        const saved = await owner.http.put(`/api/tasks/${taskId}/annotations`).send(body);
        if (saved.status !== 200) throw new Error(JSON.stringify(saved.body));
      }
      const deleted = [first, second].map((label) => ({ id: label, deleted: true }));
      return answered(200, () => owner.http.patch(`/api/projects/${id}`).send({ labels: deleted }));
    }));

  it('does not grow with the labels of a task that moves into a project', () =>
    expectConstantStatements(async (count) => {
      const id = await project(0, named(count));
      const task = await owner.http.post('/api/tasks').send({ name: 't', labels: named(count) });
      expect(task.status).toBe(201);
      return answered(200, () => owner.http.patch(`/api/tasks/${task.body.id}`).send({ project_id: id }));
    }));

  it('does not grow with the deleted frames', () =>
    expectConstantStatements(async (count) => {
      const task = await givenJobs(app, owner, { size: 40, segments: [[0, 39]] });
      return answered(200, () =>
        owner.http.patch(`/api/tasks/${task.id}/data/meta`).send({ deleted_frames: times(count) }),
      );
    }));

  it('does not grow with the frames of the ground truth', () =>
    expectConstantStatements(async (count) => {
      const task = await givenJobs(app, owner, { size: 40, segments: [[0, 39]] });
      const truth = { task_id: task.id, type: 'ground_truth', frame_selection_method: 'manual', frames: times(count) };
      return answered(201, () => owner.http.post('/api/jobs').send(truth));
    }));

  it('does not grow with the frames excluded from validation', () =>
    expectConstantStatements(async (count) => {
      const task = await givenJobs(app, owner, { size: 40, segments: [[0, 39]] });
      const truth = { task_id: task.id, type: 'ground_truth', frame_selection_method: 'manual', frames: times(20) };
      const made = await owner.http.post('/api/jobs').send(truth);
      if (made.status !== 201) throw new Error(JSON.stringify(made.body));
      return answered(200, () =>
        owner.http.patch(`/api/tasks/${task.id}/validation_layout`).send({ disabled_frames: times(count) }),
      );
    }));
});
