import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { openapiText } from '../../src/commands/openapi.js';
import { operationsOf } from '../../src/modules/docs/index.js';

type Operation = ReturnType<typeof operationsOf>[number];

describe('the API document', () => {
  let document: OpenAPIObject;
  let text: string;
  let operations: Operation[];

  beforeAll(async () => {
    text = await openapiText('json');
    document = JSON.parse(text) as OpenAPIObject;
    operations = operationsOf(document);
  });

  const names = (those: readonly Operation[]): string[] => those.map(({ verb, path }) => `${verb} ${path}`);

  it('is generated the same each time', async () => {
    expect(await openapiText('json')).toBe(text);
  });

  it('gives every operation a unique name', () => {
    const ids = operations.map((operation) => operation.body.operationId ?? '');
    expect(ids.filter((id, index) => id === '' || ids.indexOf(id) !== index)).toEqual([]);
  });

  it('describes what every operation does', () => {
    expect(names(operations.filter(({ body }) => !body.summary))).toEqual([]);
  });

  it('has every operation in one of its groups, and no empty group', () => {
    const groups = (document.tags ?? []).map(({ name }) => name);
    const loose = operations.filter(({ body: { tags = [] } }) => tags.length !== 1 || !groups.includes(tags[0] ?? ''));
    expect(names(loose)).toEqual([]);
    const used = new Set(operations.flatMap(({ body }) => body.tags ?? []));
    expect(groups.filter((group) => !used.has(group))).toEqual([]);
  });

  it('states who can call each operation', () => {
    const silent = operations.filter(({ body }) => !/Permission: `|Public: /.test(body.description ?? ''));
    expect(names(silent)).toEqual([]);
  });

  it('describes a success response of every operation that was not removed, with its content', () => {
    const served = operations.filter(({ body }) => body.responses['410'] === undefined || body.deprecated !== true);
    const vague = served.filter(({ body }) => {
      const [status, response] = Object.entries(body.responses).find(([code]) => code < '300') ?? [];
      const empty = status === undefined || status === '204' || status === '202' || status === '200';
      const elsewhere = JSON.stringify(response ?? {}).includes('"Location"');
      return response === undefined || (response.content === undefined && !empty && !elsewhere);
    });
    expect(names(vague)).toEqual([]);
  });

  it('describes the body of every operation that creates or updates', () => {
    const silent = operations.filter(({ verb, body }) => ['put', 'patch'].includes(verb) && !body.requestBody);
    expect(names(silent)).toEqual(['patch /api/invitations/{key}']); // its only value is a query parameter
  });

  it('has no dangling references', () => {
    const references = new Set(
      [...text.matchAll(/"#\/components\/(\w+)\/(\w*)"/g)].map(([, kind, name]) => `${kind}/${name}`),
    );
    const there = new Set(
      Object.entries(document.components ?? {}).flatMap(([kind, parts]) =>
        Object.keys(parts as object).map((name) => `${kind}/${name}`),
      ),
    );
    expect([...references].filter((reference) => !there.has(reference))).toEqual([]);
  });

  it('describes every field with a type', () => {
    const schemas = Object.entries(document.components?.schemas ?? {});
    const vague = schemas.flatMap(([name, schema]) =>
      Object.entries((schema as { properties?: Record<string, object> }).properties ?? {})
        .filter(([, field]) => !['type', '$ref', 'allOf', 'oneOf', 'anyOf'].some((key) => key in field))
        .map(([field]) => `${name}.${field}`),
    );
    expect(vague).toEqual([]);
  });
});
