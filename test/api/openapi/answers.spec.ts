import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Response, Test } from 'supertest';
import { AnswerSchemas } from '../../support/answer-schemas.js';
import { API_VERSIONS } from '../../../src/core/versioning/accept.js';
import type { Person } from '../../support/given.js';
import type { Call } from './call.js';
import { CALLS } from './calls.js';
import { World } from './world.js';

/** Described successes that seeded data cannot bring about. */
const WITHOUT_EXAMPLE = [
  'GET /api/events/stream 200', // it does not end
  'GET /api/jobs/{id}/preview 204',
];

describe('answers are as the API document describes them', () => {
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
          const found = schemas.problems(operation, wire, call.mayBeEmpty);
          problems.push(...found.map((problem) => `${who}, ${version}, ${call.path}: ${answer.status} ${problem}`));
        }
      }
    }
    const missing = schemas.successes(operation).filter((status) => !seen.has(status));
    const unseen = missing.map((status) => `${operation} ${status}`).filter((name) => !WITHOUT_EXAMPLE.includes(name));
    if (unseen.length > 0) problems.push(`seen: ${[...seen].join(', ')}`);
    expect({ problems, unseen }).toEqual({ problems: [], unseen: [] });
  });
});

async function send(operation: string, call: Call, actor: Person, version: string): Promise<Response> {
  const verb = operation.split(' ')[0]?.toLowerCase() as 'get';
  const unversioned = operation.startsWith('GET /api/schema/');
  const accept = unversioned ? '*/*' : `application/vnd.cvat+json; version=${version}`;
  const request: Test = actor.http[verb](call.path)
    .set('Accept', accept)
    .set(call.headers ?? {});
  const files = Object.entries(call.files ?? {});
  if (files.length > 0) void request.field('image_quality', '70');
  files.forEach(([name, data], index) => void request.attach(`client_files[${index}]`, data, name));
  if (call.body !== undefined) void request.send(call.body);
  return request.buffer(true).parse(asBytes);
}

function asBytes(answer: unknown, done: (error: Error | null, bytes: Buffer) => void): void {
  const parts: Buffer[] = [];
  const stream = answer as NodeJS.ReadableStream;
  stream.on('data', (part: Buffer) => parts.push(Buffer.from(part)));
  stream.on('end', () => done(null, Buffer.concat(parts)));
}
