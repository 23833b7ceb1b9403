import type { Representation, WireObject } from '../../../core/versioning/representations.js';

/** What came with version 2.2: everything that CVAT's webhooks do not have. */
const NEW_IN_22 = [
  'api_version', 'ordered', 'retry_schedule', 'timeout', 'rate_limit', 'max_concurrency', 'custom_headers', 'filter',
  'payload', 'batch_window', 'paused_until', 'disabled_reason',
]; // prettier-ignore

/** Versions 2.0 and 2.1 do not show what is ours; version 2.0 calls the project `project` and always shows the last delivery. */
export const webhookVersions: readonly Representation[] = [
  {
    resource: 'webhook',
    older: {
      '2.0': (webhook) => toVersion20(without(NEW_IN_22, webhook)),
      '2.1': (webhook) => without(NEW_IN_22, webhook),
    },
  },
  sameWithout('webhook_delivery', 'attempt', 'request_duration', 'error'),
  sameWithout('webhook_events', 'newer_events'),
];

function sameWithout(resource: string, ...keys: string[]): Representation {
  const older = (object: WireObject): WireObject => without(keys, object);
  return { resource, older: { '2.0': older, '2.1': older } };
}

const without = (keys: readonly string[], object: WireObject): WireObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

function toVersion20(webhook: WireObject): WireObject {
  const { last_status = null, last_delivery_date = null, ...rest } = webhook;
  const entries = Object.entries(rest).map(([key, value]) => [key === 'project_id' ? 'project' : key, value] as const);
  return { ...Object.fromEntries(entries), last_status, last_delivery_date };
}
