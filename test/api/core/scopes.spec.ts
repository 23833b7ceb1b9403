import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SCOPE } from '../../../src/core/access/scope.decorator.js';
import { TaskController } from '../../../src/modules/tasks/task.controller.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { isApplied } from '../../support/watch-scopes.js';

/** All API tests check the scopes of the routes they call; these tests show that the check can fail. */
describe('the scope of a route', () => {
  let app: TestApp;
  let owner: Person;
  let path: string;
  const handler = TaskController.prototype.get;
  const declared = Reflect.getMetadata(SCOPE, handler) as string;
  const declare = (scope: string): void => Reflect.defineMetadata(SCOPE, scope, handler);

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    const task = await owner.http
      .post('/api/tasks')
      .send({ name: 'a task', labels: [{ name: 'car' }] })
      .expect(201);
    path = `/api/tasks/${(task.body as { id: number }).id}`;
  });
  afterAll(async () => {
    declare(declared);
    await app.close();
  });

  it('is the rule that the request evaluates', async () => {
    await owner.http.get(path).expect(200);
  });

  it.each(['task:delete', 'task:view:data', 'project:view', 'server:view'])(
    'fails the test if the route declares %s instead',
    async (scope) => {
      const log = jest.spyOn(console, 'error').mockImplementation(() => undefined);
      declare(scope);
      await owner.http.get(path).expect(500);
      expect(log).toHaveBeenCalledWith(`GET ${path} declares ${scope}, but evaluates task:view`);
    },
  );

  it('stands for the more specific rules that depend on the body', () => {
    expect(isApplied('task:create', ['task:create@project'])).toBe(true);
    expect(isApplied('task:update', ['task:view', 'task:update:owner'])).toBe(true);
    expect(isApplied('task:update:owner', ['task:update'])).toBe(false);
    expect(isApplied('label:update', ['project:update:desc'])).toBe(true);
    expect(isApplied('label:update', ['project:view'])).toBe(false);
    expect(isApplied('server:view', [])).toBe(true);
    expect(isApplied('task:view', [])).toBe(false);
  });
});
