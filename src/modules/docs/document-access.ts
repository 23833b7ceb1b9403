import type { ComponentsObject } from './openapi-types.js';
import { addSentence, type Operation } from './operation.js';

const REFERENCES = ['Organization', 'OrganizationId', 'OrganizationHeader'] as const;

/** Parameters that name the organization of a request. */
export const ORGANIZATION_PARAMETERS: NonNullable<ComponentsObject['parameters']> = {
  Organization: {
    name: 'org',
    in: 'query',
    description: 'Slug of the organization that the request is about; empty: the personal space.',
    schema: { type: 'string' },
  },
  OrganizationId: {
    name: 'org_id',
    in: 'query',
    description: 'The same by id. Not together with the other two.',
    schema: { type: 'integer' },
  },
  OrganizationHeader: {
    name: 'X-Organization',
    in: 'header',
    description: 'The same by slug, in a header.',
    schema: { type: 'string' },
  },
};

/** Says who may call an operation, and how it is told which organization it is about. */
export function addAccess({ body }: Operation): void {
  const scope = body['x-permission'];
  if (typeof scope !== 'string') {
    body.security = [{}];
    addSentence(body, 'Public: no log-in is needed.');
    return;
  }
  addSentence(body, `Permission: \`${scope}\`.`);
  const known = new Set((body.parameters ?? []).map((parameter) => (parameter as { name?: string }).name));
  const missing = REFERENCES.filter((name) => !known.has((ORGANIZATION_PARAMETERS[name] as { name: string }).name));
  const references = missing.map((name) => ({ $ref: `#/components/parameters/${name}` }));
  body.parameters = [...(body.parameters ?? []), ...references];
}
