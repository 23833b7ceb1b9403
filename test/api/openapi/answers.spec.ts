import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AnswerSchemas } from '../../support/answer-schemas.js';
import { API_VERSIONS } from '../../../src/core/versioning/accept.js';
import { type Call, send } from './call.js';
import { CALLS } from './calls.js';
import { World } from './world.js';
import { scopeChecks } from '../../support/watch-scopes.js';

/** Documented successes that seeded data cannot produce. */
const WITHOUT_EXAMPLE = [
  'GET /api/events/stream 200', // never ends
  'GET /api/functions/queues/{queue}/watch 200', // never ends
  'GET /api/inspect 204', // while INSPECT_ENABLED is off
  'GET /api/jobs/{id}/presence 200', // never ends
  'GET /api/jobs/{id}/preview 204',
];

describe('responses match the API document', () => {
  let world: World;
  let schemas: AnswerSchemas;

  beforeAll(async () => {
    world = await World.create();
    const answer = await world.app.http.get('/api/schema/?scheme=json').set('Accept', 'application/json').expect(200);
    schemas = new AnswerSchemas(answer.body as OpenAPIObject);
  });
  afterAll(() => world.close());

  it('every operation is called', () => {
    expect(Object.keys(CALLS).sort()).toEqual(schemas.operations.sort());
  });

  it.each(Object.entries(CALLS))('%s', async (operation, caller) => {
    const seen = new Set<number>();
    const problems: string[] = [];
    Object.assign(scopeChecks, { applied: 0, exempt: 0 });
    const actors = { administrator: world.admin, owner: world.owner, stranger: world.stranger };
    for (const [who, actor] of Object.entries(actors)) {
      for (const version of API_VERSIONS) {
        for (const call of [await caller(world, actor)].flat<(Call | readonly Call[])[]>()) {
          const answer = await send(operation, call, actor, version);
          seen.add(answer.status);
          const wire = {
            status: answer.status,
            type: answer.headers['content-type'],
            bytes: Buffer.from(Buffer.isBuffer(answer.body) ? answer.body : []),
          };
          const found = schemas.problems(operation, wire);
          problems.push(...found.map((problem) => `${who}, ${version}, ${call.path}: ${answer.status} ${problem}`));
        }
      }
    }
    const missing = schemas.successes(operation).filter((status) => !seen.has(status));
    const unseen = missing.map((status) => `${operation} ${status}`).filter((name) => !WITHOUT_EXAMPLE.includes(name));
    if (scopeChecks.exempt > 0 && scopeChecks.applied === 0) problems.push('never evaluated the rule of its scope');
    if (unseen.length > 0) problems.push(`seen: ${[...seen].join(', ')}`);
    expect({ problems, unseen }).toEqual({ problems: [], unseen: [] });
  });
});
