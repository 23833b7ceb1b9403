import type { OpenAPIObject } from '@nestjs/swagger';
import { API_VERSIONS } from '../../core/versioning/accept.js';
import { addPayloadSchemas, type EventPayloadSchema, payloadSchemas } from './event-schemas.js';
import type { Schema } from './operation.js';

/** A schema of each API version's payload, by its name. */
const content = ({ schemas }: EventPayloadSchema): object => {
  const references = [...new Set(Object.values(schemas))].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return { 'application/json': { schema: references.length === 1 ? references[0] : { oneOf: references } } };
};

const heardBy = ({ entry }: EventPayloadSchema): string =>
  entry === null ? 'Sent on demand by any webhook.' : `For webhooks of type ${entry.types.join(', ')}.`;

/**
 * Adds what the server sends by itself, with the schemas of it: under `x-webhooks`, since `webhooks` came to OpenAPI with
 * version 3.1. `x-versions` names the schema of each API version.
 */
export function addWebhooks(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  addPayloadSchemas(schemas);
  const webhooks = payloadSchemas().map((payload) => [
    payload.event,
    {
      post: {
        summary: payload.entry?.when ?? 'A webhook is asked to send something about itself',
        description: heardBy(payload),
        requestBody: { required: true, content: content(payload) },
        responses: { '2XX': { description: 'Taken. Anything else is tried again or given up.' } },
        'x-versions': Object.fromEntries(
          API_VERSIONS.map((version) => [version, `#/components/schemas/${payload.schemas[version]}`]),
        ),
      },
    },
  ]);
  Object.assign(document, { 'x-webhooks': Object.fromEntries(webhooks) });
}
