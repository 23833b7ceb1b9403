import type { Mapping } from './mapping.js';
import { annotationMappings, reviewMappings } from './mappings/annotation.mappings.js';
import { assetMappings, cloudMappings, mediaMappings } from './mappings/media.mappings.js';
import { qualityMappings } from './mappings/quality.mappings.js';
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
    ...qualityMappings,
    ...assetMappings,
    ...webhookMappings,
  ].map((mapping) => [mapping.model, mapping]),
);

const SOURCES = 'a list of uploaded files; the media created from them are imported';
const PENDING = 'the validation that a task without data asked for';
const LOG_IN = 'users log in again';
const DJANGO = 'data of the server program, not of its users';

/** Known models, and applications (with a trailing dot), that are not imported. */
const LEFT_OUT: readonly (readonly [string, string])[] = [
  ['engine.clientfile', SOURCES],
  ['engine.serverfile', SOURCES],
  ['engine.remotefile', SOURCES],
  ['engine.audiochunkinfo', 'chunks are created again'],
  ['engine.validationparams', PENDING],
  ['engine.validationframe', PENDING],
  ['account.emailconfirmation', LOG_IN],
  ['authtoken.', LOG_IN],
  ['sessions.', LOG_IN],
  ['socialaccount.', 'logins with external accounts are not supported yet'],
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
  return known?.[1] ?? 'unknown to this importer';
}
