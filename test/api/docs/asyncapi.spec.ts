import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { ALL_EVENTS } from '../../../src/core/events/event-declaration.js';
import { API_VERSIONS } from '../../../src/core/versioning/accept.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { EventSchemas } from '../../support/event-schemas.js';

const DATE = '2026-01-01T00:00:00Z';

interface AsyncDocument {
  readonly channels: Readonly<Record<string, { readonly messages: Readonly<Record<string, unknown>> }>>;
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly name: string }>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
}

/** The specification's own schema of documents. */
const specification = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0-without-$id.json'), 'utf8'),
) as object;

describe('AsyncAPI document and payload schemas', () => {
  let app: TestApp;
  let document: AsyncDocument;

  beforeAll(async () => {
    app = await createTestApp();
    const answer = await app.http.get('/api/asyncapi');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/vnd.aai.asyncapi+json']);
    document = JSON.parse(answer.text ?? String(answer.body)) as AsyncDocument;
  });
  afterAll(() => app.close());

  it('is a valid AsyncAPI 3 document', () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    for (const format of ['iri', 'uri-reference', 'iri-reference']) ajv.addFormat(format, true);
    const validate = ajv.compile(specification);
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('names every event, in every version', () => {
    const named = Object.values(document.components.messages).map(({ name }) => name);
    expect(new Set(named)).toEqual(new Set([...ALL_EVENTS, 'ping', 'thin']));
    for (const channel of Object.values(document.channels))
      expect(Object.keys(channel.messages)).toHaveLength(ALL_EVENTS.length + 2);
    expect(Object.keys(document.channels)).toEqual(['webhooks-2.2', 'webhooks-2.1', 'webhooks-2.0']);
  });

  it('has no dangling references', () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"#\/components\/(schemas|messages)\/([^"]+)"/g)];
    const missing = references.filter(
      ([, kind, name = '']) => !Object.hasOwn(document.components[kind as 'schemas'], name),
    );
    expect(missing.map(([reference]) => reference)).toEqual([]);
    expect(text).not.toContain('"nullable"');
  });

  it('is available as YAML', async () => {
    const answer = await app.http.get('/api/asyncapi?scheme=yaml').buffer(true);
    expect(parse(answer.text ?? String(answer.body))).toEqual(document);
    expect((await app.http.get('/api/asyncapi?scheme=xml')).status).toBe(400);
  });

  it('returns the schema of one event without external references', async () => {
    for (const version of API_VERSIONS) {
      const answer = await app.http.get(`/api/webhooks/events/update:task/schema?version=${version}`).expect(200);
      const schema = answer.body as { $defs: Record<string, { properties: Record<string, unknown> }> };
      const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
      expect(validate({ event: 'update:task' })).toBe(false);
      const task = schema.$defs[version === '2.0' ? 'Task20' : 'Task'];
      expect('segments' in (task?.properties ?? {})).toBe(version === '2.0');
    }
    expect((await app.http.get('/api/webhooks/events/update:nothing/schema')).status).toBe(404);
    const wrong = await app.http.get('/api/webhooks/events/update:task/schema?version=3');
    expect([wrong.status, wrong.body]).toEqual([400, { version: ['"3" is not a valid choice.'] }]);
  });

  it('rejects payloads that do not match their description', () => {
    const schemas = EventSchemas.of(app.app);
    const comment = { id: 1, issue: 2, owner: null, message: 'm', created_date: DATE, updated_date: DATE };
    const payload = { event: 'create:comment', comment, sender: null, webhook_id: 1 };
    expect(schemas.problem(payload, '2.1')).toBeNull();
    expect(schemas.problem({ ...payload, more: 1 }, '2.1')).toContain('additional properties');
    expect(schemas.problem({ ...payload, comment: { ...comment, message: undefined } }, '2.1')).toContain('message');
    expect(schemas.problem({ ...payload, comment: { ...comment, id: 'x' } }, '2.0')).toContain('/comment/id');
    expect(schemas.problem({ ...payload, event: 'create:nothing' }, '2.1')).toContain('not in the catalogue');
  });
});
