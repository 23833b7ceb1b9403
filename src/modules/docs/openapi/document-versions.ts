import { API_VERSIONS, DEFAULT_VERSION } from '../../../core/versioning/accept.js';
import type { ComponentsObject, Operation, Response, Schema } from './operation.js';

const PLAIN = 'application/json';
const VENDOR = 'application/vnd.cvat+json';
const SCHEMAS = '#/components/schemas/';

type Schemas = NonNullable<ComponentsObject['schemas']>;

/** Set by `@OlderForms`: references to the schemas of the newest version and of older versions. */
interface OlderForms {
  readonly current: string;
  readonly older: Readonly<Record<string, string>>;
}

/**
 * Describes JSON responses in the types and versions that `Accept` can select. Adds lists of older forms to `schemas`.
 */
export function addVersions({ body }: Operation, schemas: Schemas): void {
  if (body['x-unversioned'] !== undefined) return;
  const forms = body['x-answers'] === undefined ? undefined : (body['x-older-forms'] as OlderForms | undefined);
  for (const response of Object.values(body.responses)) {
    const schema = response.content?.[PLAIN]?.schema;
    if (schema !== undefined) describe(response, (version) => olderForm(schema, version, forms, schemas));
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
function olderForm(schema: Schema, version: string, forms: OlderForms | undefined, schemas: Schemas): Schema {
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
