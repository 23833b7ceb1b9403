import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Response } from 'supertest';
import { openapiText } from '../../../src/commands/openapi.js';
import { operationsOf } from '../../../src/modules/docs/index.js';
import { AnswerSchemas } from '../../support/answer-schemas.js';
import type { Call } from './call.js';
import { CALLS } from './calls.js';
import { World } from './world.js';

/** Ends the session that it is sent with, so it cannot be repeated. */
const UNREPEATABLE = ['POST /api/auth/logout'];

/** A repeated request needs the new login, because the change ends the one of the first. */
const AFTER_NEW_LOGIN = ['POST /api/auth/password/change'];

/**
 * Changes whose URL is that of an object, but that do not change what a GET of this URL returns, and the cancellation of
 * work, whose progress changes its entity tag all the time.
 */
const UNGUARDED = ['PATCH /api/invitations/{key}', 'DELETE /api/inspect/{box}', 'DELETE /api/lambda/requests/{id}'];

/** They describe the moment of the request. */
const OF_THE_MOMENT = ['GET /api/server/health/', 'GET /api/webhooks/{id}/sample', 'GET /api/webhooks/events/sample'];

const document = JSON.parse(await openapiText('json')) as OpenAPIObject;
const schemas = new AnswerSchemas(document);
const operations = operationsOf(document).map(({ path, verb, body }) => ({
  name: `${verb.toUpperCase()} ${path}`,
  path,
  verb,
  takes: (header: string): boolean => JSON.stringify(body.parameters ?? []).includes(`/parameters/${header}"`),
}));
const named = (verbs: readonly string[], header: string): string[] =>
  operations.filter(({ verb, takes }) => verbs.includes(verb) && takes(header)).map(({ name }) => name);

describe('conditional and repeated requests', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.create();
  });
  afterAll(() => world.close());

  async function calls(operation: string): Promise<readonly Call[]> {
    const made = await CALLS[operation]?.(world, world.admin);
    return [made ?? []].flat<(Call | readonly Call[])[]>();
  }

  function send(operation: string, call: Call, headers: Readonly<Record<string, string>>): Promise<Response> {
    const verb = operation.split(' ')[0]?.toLowerCase() as 'get';
    const request = world.admin.http[verb](call.path).set({ ...call.headers, ...headers });
    for (const [index, [name, data]] of Object.entries(call.files ?? {}).entries())
      void request.attach(`client_files[${index}]`, data, name);
    if (call.body !== undefined) void request.send(call.body);
    return request.then((answer) => answer);
  }

  it.each(named(['post', 'patch'], 'IdempotencyKey'))(
    '%s documents that a key was used for another request',
    (name) => {
      const bytes = Buffer.from(JSON.stringify({ detail: 'This Idempotency-Key was used for another request.' }));
      expect(schemas.problems(name, { status: 409, type: 'application/vnd.cvat+json', bytes })).toEqual([]);
    },
  );

  it('every POST can be repeated safely', () => {
    const others = operations.filter(
      ({ path, verb, takes }) => path.startsWith('/api/') && verb === 'post' && !takes('IdempotencyKey'),
    );
    expect(others.map(({ name }) => name)).toEqual(UNREPEATABLE);
  });

  const repeatable = named(['post'], 'IdempotencyKey').filter((name) => !AFTER_NEW_LOGIN.includes(name));

  it.each(repeatable)('%s returns its first response again', async (operation) => {
    let replayed = 0;
    for (const [index, call] of (await calls(operation)).entries()) {
      const key = { 'Idempotency-Key': `${operation} ${index}` };
      const first = await send(operation, call, key);
      if (first.status >= 400) continue;
      const again = await send(operation, call, key);
      const seen = ({ status, text, headers }: Response): unknown => [status, text, headers['location']];
      expect(seen(again)).toEqual(seen(first));
      expect(again.headers['idempotency-replayed']).toBe('true');
      replayed += 1;
    }
    expect(replayed).toBeGreaterThan(0);
  });

  it.each(named(['get'], 'IfNoneMatch').filter((name) => !OF_THE_MOMENT.includes(name)))(
    '%s is not sent again to who has it',
    async (operation) => {
      for (const call of await calls(operation)) {
        const first = await send(operation, call, {});
        if (first.status !== 200) continue;
        const again = await send(operation, call, { 'If-None-Match': first.headers['etag'] ?? '' });
        expect([again.status, again.text]).toEqual([304, '']);
        return;
      }
      throw new Error('nothing was answered');
    },
  );

  it('every change of an object with an entity tag can depend on it', () => {
    const tagged = new Set(operations.filter(({ verb, takes }) => verb === 'get' && takes('IfNoneMatch')).map(({ path }) => path)); // prettier-ignore
    const open = operations.filter(
      ({ path, verb, takes }) =>
        /\{\w+\}$|annotations\/$/.test(path) &&
        tagged.has(path) &&
        ['put', 'patch', 'delete'].includes(verb) &&
        !takes('IfMatch'),
    );
    expect(open.map(({ name }) => name).sort()).toEqual(UNGUARDED.toSorted());
  });

  it.each(named(['put', 'patch', 'delete'], 'IfMatch'))('%s rejects an outdated entity tag', async (operation) => {
    const [call] = await calls(operation);
    if (call === undefined) throw new Error('there is no call');
    const get = (): Promise<Response> => world.admin.http.get(call.path.split('?')[0] ?? '').then((answer) => answer);
    const before = await get();
    expect((await send(operation, call, { 'If-Match': '"older"' })).status).toBe(412);
    const after = await get();
    expect(after.text).toBe(before.text);
    const { etag = '' } = after.headers as { etag?: string };
    expect((await send(operation, call, { 'If-Match': etag })).status).toBeLessThan(300);
  });
});
