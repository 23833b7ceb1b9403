import type { Mapping } from './mapping.js';
import { annotationMappings, reviewMappings } from './mappings/annotation.mappings.js';
import { assetMappings, cloudMappings, mediaMappings } from './mappings/media.mappings.js';
import { labelMappings, workMappings } from './mappings/work.mappings.js';
import { organizationMappings, peopleMappings } from './mappings/people.mappings.js';
import { webhookMappings } from './mappings/webhook.mappings.js';

const MAPPINGS = new Map(
  [
    ...peopleMappings,
    ...organizationMappings,
    ...cloudMappings,
    ...workMappings,
    ...mediaMappings,
    ...labelMappings,
    ...annotationMappings,
    ...reviewMappings,
    ...assetMappings,
    ...webhookMappings,
  ].map((mapping) => [mapping.model, mapping]),
);

const SOURCES = 'list of what was uploaded; the media made of it come';
const LOG_IN = 'people log in again';
const DJANGO = 'belongs to the server program, not to its content';

/** Known models, and applications (with a trailing dot), that are not imported. */
const LEFT_OUT: readonly (readonly [string, string])[] = [
  ['engine.clientfile', SOURCES],
  ['engine.serverfile', SOURCES],
  ['engine.remotefile', SOURCES],
  ['account.emailconfirmation', LOG_IN],
  ['authtoken.', LOG_IN],
  ['sessions.', LOG_IN],
  ['socialaccount.', 'no login with accounts of other sites here yet'],
  ['quality_control.', 'no quality reports and settings here yet'],
  ['consensus.', 'no consensus settings here yet'],
  ['sites.', DJANGO],
  ['admin.', DJANGO],
  ['contenttypes.', DJANGO],
  ['auth.permission', DJANGO],
  ['django_rq.', DJANGO],
];

/** @returns undefined for a model without rows */
export const mappingOf = (model: string): Mapping | undefined => MAPPINGS.get(model);

/** Why a model without a mapping is not imported. */
export function reasonOf(model: string): string {
  const known = LEFT_OUT.find(([name]) => (name.endsWith('.') ? model.startsWith(name) : model === name));
  return known?.[1] ?? 'not known to this importer';
}
