import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AnswerSchemas } from '../../support/answer-schemas.js';
import { type Call, send } from './call.js';
import { CALLS } from './calls.js';
import { World } from './world.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly $ref?: string;
  readonly schema?: { readonly type?: string; readonly enum?: readonly string[] };
}

/**
 * Parameters for which the contract gives undocumented values a meaning of their own: a page or row that does not
 * exist.
 */
const LENIENT = [/^\w+ \S+ page(_size)?$/, /^GET \/api\/requests \w+_id$/, /^GET \/api\/schema\/ scheme$/];

/** A value that the parameter rejects; undefined if any text is valid. */
function wrongValue({ schema }: Parameter): string | undefined {
  if (schema?.enum !== undefined) return 'no-such-choice';
  if (schema?.type === 'boolean') return 'null';
  return schema?.type === 'integer' ? '0.5' : undefined;
}

const withQuery = (path: string, name: string, value: string): string => {
  const url = new URL(path, 'http://server');
  url.searchParams.set(name, value);
  return url.pathname + url.search;
};

describe('query parameters', () => {
  let world: World;
  let document: OpenAPIObject;
  let schemas: AnswerSchemas;

  beforeAll(async () => {
    world = await World.create();
    const answer = await world.app.http.get('/api/schema/?scheme=json').set('Accept', 'application/json').expect(200);
    document = answer.body as OpenAPIObject;
    schemas = new AnswerSchemas(document);
  });
  afterAll(() => world.close());

  function parametersOf(operation: string): Parameter[] {
    const [verb = '', path = ''] = operation.split(' ');
    const { parameters = [] } = document.paths[path]?.[verb.toLowerCase() as 'get'] ?? {};
    const known = document.components?.parameters ?? {};
    return (parameters as Parameter[])
      .map((one) => (one.$ref === undefined ? one : (known[one.$ref.split('/').at(-1) ?? ''] as Parameter)))
      .filter((one) => one.in === 'query');
  }

  async function callOf(operation: string): Promise<Call> {
    const call = [await CALLS[operation]?.(world, world.admin)].flat<(Call | readonly Call[] | undefined)[]>()[0];
    if (call === undefined) throw new Error(`there is no call of ${operation}`);
    // A request that starts a resumable upload reads no query parameters.
    const { 'Upload-Start': _, ...headers } = call.headers ?? {};
    return { ...call, headers };
  }

  async function answerTo(operation: string, name: string, value: string): Promise<[number, string, string[]]> {
    const call = await callOf(operation);
    const { status, body, headers } = await send(
      operation,
      { ...call, path: withQuery(call.path, name, value) },
      world.admin,
      '2.2',
    );
    const bytes = Buffer.from(Buffer.isBuffer(body) ? body : []);
    const problems = schemas.problems(operation, { status, type: headers['content-type'], bytes });
    return [status, bytes.toString(), problems];
  }

  it.each(Object.keys(CALLS))('of %s: invalid values and unknown organizations are rejected', async (operation) => {
    const found: string[] = [];
    for (const parameter of parametersOf(operation)) {
      const value = wrongValue(parameter);
      if (value === undefined || LENIENT.some((one) => one.test(`${operation} ${parameter.name}`))) continue;
      const [status, text, problems] = await answerTo(operation, parameter.name, value);
      if (status !== 400) found.push(`${parameter.name}=${value}: ${status} ${text.slice(0, 100)}`);
      found.push(...problems);
    }
    const [status, , problems] = await answerTo(operation, 'org', 'doesnotexist');
    found.push(...problems.map((problem) => `org=doesnotexist: ${status} ${problem}`));
    expect(found).toEqual([]);
  });
});
