import type { OpenAPIObject } from '@nestjs/swagger';
import { addAccess, ORGANIZATION_PARAMETERS } from './document-access.js';
import { addConditions, CONDITION_PARAMETERS } from './document-conditions.js';
import { addErrors, ERROR_RESPONSES, ERROR_SCHEMAS } from './document-errors.js';
import { addNames } from './document-names.js';
import { addVersions } from './document-versions.js';
import { addWebhooks } from './document-webhooks.js';
import type { Operation } from './operation.js';

const VERBS = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Adds to every operation what holds for all of them, so that no author can forget it: names, permission, organization
 * parameters, versions of the answer, errors. Changes `document` and returns it.
 */
export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  dropTwins(document);
  shortenNames(document);
  nameWholeNumbers(document);
  const schemas = document.components?.schemas ?? {};
  for (const operation of operationsOf(document)) {
    addNames(operation);
    addErrors(operation); // reads what the next two turn into text
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

/** All operations of a document, as the rules see them. */
export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    VERBS.flatMap((verb) => {
      const body = item[verb] as Operation['body'] | undefined;
      return body === undefined ? [] : [{ path, verb, body }];
    }),
  );
}

/** What a path serves with and without a slash at the end is described once. */
function dropTwins(document: OpenAPIObject): void {
  for (const [path, item] of Object.entries(document.paths)) {
    const twin = document.paths[`${path}/`];
    if (twin === undefined) continue;
    for (const verb of VERBS) if (twin[verb] !== undefined) delete item[verb];
    if (VERBS.every((verb) => item[verb] === undefined)) delete document.paths[path];
  }
}

/** A reader sees `Task`, not the class `TaskDto`. */
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

const MEANINGS: Readonly<Record<string, string>> = { 200: 'Done', 201: 'Created', 202: 'Accepted', 204: 'Gone' };

/** What the scanner does not know: what an answer without a text means. */
function describeParts({ body }: Operation): void {
  for (const [status, response] of Object.entries(body.responses)) {
    if (response.description === '') response.description = MEANINGS[status] ?? '';
  }
}

/** The scanner calls every number `number`; those that may have a fraction say so by their format. Changes `part`. */
function nameWholeNumbers(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  const schema = part as { type?: unknown; format?: unknown };
  if (schema.type === 'number' && schema.format === undefined) schema.type = 'integer';
  for (const inner of Object.values(part)) nameWholeNumbers(inner);
}

const sorted = <T>(entries: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
