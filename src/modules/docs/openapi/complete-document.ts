import type { OpenAPIObject } from '@nestjs/swagger';
import { addWebhooks } from '../events/event-schemas.js';
import { API_VERSIONS, DEFAULT_VERSION } from '../../../core/versioning/accept.js';
import {
  addConditions,
  CONDITION_PARAMETERS,
  addErrors,
  ERROR_RESPONSES,
  ERROR_SCHEMAS,
} from './document-responses.js';
import { addSentence, type ComponentsObject, type Operation, type Response, type Schema } from './operation.js';

const VERBS = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Adds to every operation what all operations have, so that no author can forget it: names, permission, organization
 * parameters, versions of the response, errors. Changes `document` and returns it.
 */
export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  removeDuplicates(document);
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
    delete operation.body['x-older-representations'];
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
function removeDuplicates(document: OpenAPIObject): void {
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

const WORDS = {
  head: 'head',
  options: 'options',
  post: 'create',
  put: 'update',
  patch: 'partial_update',
  delete: 'destroy',
} as const;

/** Gives an operation its id, and a standard summary if it has none. */
function addNames(operation: Operation): void {
  const id = operationId(operation);
  operation.body.operationId = id;
  operation.body.summary = operation.body.summary || standardSummary(operation, id);
}

/** `tasks_list`, `tasks_retrieve_data_meta`, `auth_create_login`: the names that generated clients use. */
function operationId(operation: Operation): string {
  const [first = '', ...rest] = names(operation.path);
  const word = operation.verb === 'get' ? (isList(operation) ? 'list' : 'retrieve') : WORDS[operation.verb];
  const many =
    rest.length === 0 && !operation.path.includes('{') && ['put', 'patch', 'delete'].includes(operation.verb);
  return [first, ...(many ? ['bulk'] : []), word, ...rest].join('_').replaceAll('-', '_');
}

function standardSummary({ path }: Operation, id: string): string {
  const [resource = '', ...rest] = names(path);
  if (rest.length > 0) return '';
  const one = resource.replace(/s$/, '');
  const article = /^[aeiou]/.test(one) ? 'an' : 'a';
  const summaries: Readonly<Record<string, string>> = {
    [`${resource}_list`]: `List ${resource}`,
    [`${resource}_create`]: `Create ${article} ${one}`,
    [`${resource}_retrieve`]: `Get ${article} ${one}`,
    [`${resource}_partial_update`]: `Update ${article} ${one}. Keys that are absent keep their values.`,
    [`${resource}_update`]: `Update ${article} ${one}`,
    [`${resource}_destroy`]: `Delete ${article} ${one}`,
  };
  return summaries[id] ?? '';
}

/** Segments of a path without `api` and parameters. A parameter such as `{fileId}` adds `file`. */
const names = (path: string): string[] =>
  path
    .split('/')
    .map((segment) => /^\{(\w+)Id\}$/.exec(segment)?.[1] ?? segment)
    .filter((segment) => segment !== '' && segment !== 'api' && !segment.startsWith('{'));

function isList({ body }: Operation): boolean {
  const schema = Object.values(body.responses['200']?.content ?? {})[0]?.schema;
  return schema?.type === 'array' || /\/Paginated\w+List$/.test(schema?.$ref ?? '');
}

const PLAIN = 'application/json';
const VENDOR = 'application/vnd.cvat+json';
const SCHEMAS = '#/components/schemas/';

type Schemas = NonNullable<ComponentsObject['schemas']>;

/** Set by `@OlderRepresentations`: references to the schemas of the newest version and of older versions. */
interface OlderRepresentations {
  readonly current: string;
  readonly older: Readonly<Record<string, string>>;
}

/**
 * Describes JSON responses in the types and versions that `Accept` can select. Adds lists of older forms to `schemas`.
 */
function addVersions({ body }: Operation, schemas: Schemas): void {
  if (body['x-unversioned'] !== undefined) return;
  const forms =
    body['x-resource'] === undefined
      ? undefined
      : (body['x-older-representations'] as OlderRepresentations | undefined);
  for (const response of Object.values(body.responses)) {
    const schema = response.content?.[PLAIN]?.schema;
    if (schema !== undefined) describe(response, (version) => olderRepresentation(schema, version, forms, schemas));
  }
}

/** @param form the schema of the response in a version */
function describe(response: Response, form: (version: string) => Schema): void {
  const { [PLAIN]: _, ...others } = response.content ?? {};
  const versions = [...API_VERSIONS]
    .reverse()
    .map((version) => [`${VENDOR}; version=${version}`, { schema: form(version) }]);
  const usual = { schema: form(DEFAULT_VERSION) };
  response.content = { [VENDOR]: usual, ...Object.fromEntries(versions), [PLAIN]: usual, ...others };
}

/** The schema itself if versions do not differ, otherwise the older object, or a copy of the list around it. */
function olderRepresentation(
  schema: Schema,
  version: string,
  forms: OlderRepresentations | undefined,
  schemas: Schemas,
): Schema {
  const older = forms?.older[version];
  const name = schema.$ref?.slice(SCHEMAS.length);
  if (forms === undefined || older === undefined || name === undefined) return schema;
  if (schema.$ref === forms.current) return { $ref: older };
  const text = JSON.stringify(schemas[name]);
  const copy = text.replaceAll(`"${forms.current}"`, `"${older}"`);
  if (copy === text) return schema;
  const copyName = `${name}${version.replace('.', '')}`;
  schemas[copyName] = JSON.parse(copy) as Schemas[string];
  return { $ref: `${SCHEMAS}${copyName}` };
}
