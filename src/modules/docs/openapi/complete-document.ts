import type { OpenAPIObject } from '@nestjs/swagger';
import { addConditions, CONDITION_PARAMETERS } from './document-conditions.js';
import { addErrors, ERROR_RESPONSES, ERROR_SCHEMAS } from './document-errors.js';
import { addNames } from './document-names.js';
import { addVersions } from './document-versions.js';
import { addWebhooks } from '../events/event-schemas.js';
import { addSentence, type ComponentsObject, type Operation } from './operation.js';

const VERBS = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Adds to every operation what all operations have, so that no author can forget it: names, permission, organization
 * parameters, versions of the response, errors. Changes `document` and returns it.
 */
export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  dropTwins(document);
  shortenNames(document);
  nameWholeNumbers(document);
  const schemas = document.components?.schemas ?? {};
  for (const operation of operationsOf(document)) {
    addNames(operation);
    addErrors(operation); // reads marks that the next two functions turn into text
    addAccess(operation);
    addVersions(operation, schemas);
    addConditions(operation);
    describeParts(operation);
    delete operation.body['x-unversioned'];
    delete operation.body['x-older-forms'];
    delete operation.body['x-unthrottled'];
  }
  document.components = {
    ...document.components,
    schemas: { ...schemas, ...ERROR_SCHEMAS },
    responses: ERROR_RESPONSES,
    parameters: { ...ORGANIZATION_PARAMETERS, ...CONDITION_PARAMETERS },
  };
  addWebhooks(document);
  document.paths = sorted(document.paths);
  document.components.schemas = sorted(document.components.schemas ?? {});
  return document;
}

/** All operations of a document. */
export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    VERBS.flatMap((verb) => {
      const body = item[verb] as Operation['body'] | undefined;
      return body === undefined ? [] : [{ path, verb, body }];
    }),
  );
}

/** A path that is served with and without a slash at the end is only described once. */
function dropTwins(document: OpenAPIObject): void {
  for (const [path, item] of Object.entries(document.paths)) {
    const twin = document.paths[`${path}/`];
    if (twin === undefined) continue;
    for (const verb of VERBS) if (twin[verb] !== undefined) delete item[verb];
    if (VERBS.every((verb) => item[verb] === undefined)) delete document.paths[path];
  }
}

/** Names schemas `Task` instead of `TaskDto`. */
function shortenNames(document: OpenAPIObject): void {
  const short = JSON.stringify({ paths: document.paths, components: document.components }).replaceAll(
    /"#\/components\/schemas\/(\w+?)Dto"/g,
    '"#/components/schemas/$1"',
  );
  Object.assign(document, JSON.parse(short));
  const schemas = Object.entries(document.components?.schemas ?? {});
  document.components = {
    ...document.components,
    schemas: Object.fromEntries(schemas.map(([name, schema]) => [name.replace(/Dto$/, ''), schema])),
  };
}

const MEANINGS: Readonly<Record<string, string>> = { 200: 'Done', 201: 'Created', 202: 'Accepted', 204: 'Deleted' };

/** Describes responses that have no description. */
function describeParts({ body }: Operation): void {
  for (const [status, response] of Object.entries(body.responses)) {
    if (response.description === '') response.description = MEANINGS[status] ?? '';
  }
}

/** The scanner types every number as `number`. Numbers without a format are integers. Changes `part`. */
function nameWholeNumbers(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  const schema = part as { type?: unknown; format?: unknown };
  if (schema.type === 'number' && schema.format === undefined) schema.type = 'integer';
  for (const inner of Object.values(part)) nameWholeNumbers(inner);
}

const sorted = <T>(entries: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));

const REFERENCES = ['Organization', 'OrganizationId', 'OrganizationHeader'] as const;

/** Parameters that select the organization of a request. */
export const ORGANIZATION_PARAMETERS: NonNullable<ComponentsObject['parameters']> = {
  Organization: {
    name: 'org',
    in: 'query',
    description: 'Slug of the organization of the request. Empty: the personal space.',
    schema: { type: 'string' },
  },
  OrganizationId: {
    name: 'org_id',
    in: 'query',
    description: 'Id of the organization. Cannot be combined with the other two.',
    schema: { type: 'integer' },
  },
  OrganizationHeader: {
    name: 'X-Organization',
    in: 'header',
    description: 'Slug of the organization, in a header.',
    schema: { type: 'string' },
  },
};

/** Documents the permission of an operation, and its organization parameters. */
export function addAccess({ body }: Operation): void {
  const scope = body['x-permission'];
  if (typeof scope !== 'string') {
    body.security = [{}];
    addSentence(body, 'Public: no authentication is required.');
    return;
  }
  addSentence(body, `Permission: \`${scope}\`.`);
  const known = new Set((body.parameters ?? []).map((parameter) => (parameter as { name?: string }).name));
  const missing = REFERENCES.filter((name) => !known.has((ORGANIZATION_PARAMETERS[name] as { name: string }).name));
  const references = missing.map((name) => ({ $ref: `#/components/parameters/${name}` }));
  body.parameters = [...(body.parameters ?? []), ...references];
}
