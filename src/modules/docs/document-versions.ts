import { API_VERSIONS, LATEST_VERSION } from '../../core/versioning/accept.js';
import type { Operation, Response, Schema } from './operation.js';

const PLAIN = 'application/json';
const VENDOR = 'application/vnd.cvat+json';

/** Describes JSON answers in the types and versions that `Accept` may ask for. */
export function addVersions({ body }: Operation): void {
  if (body['x-unversioned'] !== undefined) return;
  const differs = body['x-answers'] !== undefined;
  for (const response of Object.values(body.responses)) {
    const schema = response.content?.[PLAIN]?.schema;
    if (schema !== undefined) describe(response, schema, differs);
  }
}

function describe(response: Response, schema: Schema, differs: boolean): void {
  const { [PLAIN]: _, ...others } = response.content ?? {};
  const versions = [...API_VERSIONS]
    .reverse()
    .map((version) => [
      `${VENDOR}; version=${version}`,
      { schema: differs && version !== LATEST_VERSION ? olderForm(version) : schema },
    ]);
  response.content = { [VENDOR]: { schema }, ...Object.fromEntries(versions), [PLAIN]: { schema }, ...others };
}

const olderForm = (version: string): Schema => ({
  type: 'object',
  additionalProperties: true,
  description: `As in ${LATEST_VERSION}, with what the introduction lists for ${version}.`,
});
