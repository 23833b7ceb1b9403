import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openapiText } from '../../src/commands/openapi.js';
import { EVENTS, resourceOf } from '../../src/core/events/event-declaration.js';
import { addPayloadSchemas, payloadSchemas } from '../../src/modules/docs/index.js';
import { eventsOf, WEBHOOK_TYPES } from '../../src/modules/webhooks/event-catalogue.js';

const ROW = /^\| `(?<name>[^`]+)` \| (?<o>✓?) ?\| (?<p>✓?) ?\| (?<s>✓?) ?\| (?<when>.+) \|$/gm;

describe('the list of events', () => {
  it('matches docs/webhooks-reference.md word for word', () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/webhooks-reference.md'), 'utf8');
    const told = [...text.replace(/ +/g, ' ').matchAll(ROW)].map(({ groups = {} }) => groups);
    const rows = EVENTS.map(({ name, when }) => ({
      name,
      o: eventsOf('organization').includes(name) ? '✓' : '',
      p: eventsOf('project').includes(name) ? '✓' : '',
      s: eventsOf('server').includes(name) ? '✓' : '',
      when,
    }));
    expect(told.map((row) => ({ ...row }))).toEqual(rows);
  });

  it('is sorted and has the events for each type of webhook', () => {
    for (const names of WEBHOOK_TYPES.map(eventsOf)) expect(names).toEqual([...new Set(names)].sort(byText));
    expect(eventsOf('project')).toEqual(expect.arrayContaining(['update:project', 'delete:project', 'create:comment']));
    expect(eventsOf('project')).not.toContain('create:project');
    expect(eventsOf('organization')).not.toContain('create:user');
    expect(eventsOf('server')).toEqual(EVENTS.map(({ name }) => name));
  });

  it('gives every payload a schema that refers to the API document', async () => {
    const document = JSON.parse(await openapiText('json')) as { components: { schemas: Record<string, object> } };
    const { schemas } = document.components;
    for (const payload of payloadSchemas())
      for (const name of Object.values(payload.schemas)) expect(schemas).toHaveProperty(name);
    const again = structuredClone(schemas);
    addPayloadSchemas(again as never);
    expect(again).toEqual(schemas); // the schemas do not depend on when they are requested
  });

  it('finds the object of an event by its name', () => {
    expect(['update:task', 'completed:request[create:task]'].map(resourceOf)).toEqual(['task', 'request']);
  });
});

const byText = (a: string, b: string): number => (a < b ? -1 : 1);
