import type { Representation, WireObject } from '../../core/versioning/representations.js';

/** What is not part of version 2.0. */
const NEWER = [
  'api_version', 'ordered', 'retry_schedule', 'timeout', 'rate_limit', 'max_concurrency', 'custom_headers', 'filter',
  'payload', 'batch_window', 'paused_until', 'disabled_reason',
]; // prettier-ignore

/** Version 2.0 calls the project `project`, always shows the last delivery and does not speak of versions. */
export const webhookVersions: Representation = {
  resource: 'webhook',
  older: { '2.0': toVersion20 },
};

function toVersion20(webhook: WireObject): WireObject {
  const { last_status = null, last_delivery_date = null, ...rest } = webhook;
  const older = Object.entries(rest).filter(([key]) => !NEWER.includes(key));
  const entries = older.map(([key, value]) => [key === 'project_id' ? 'project' : key, value] as const);
  return { ...Object.fromEntries(entries), last_status, last_delivery_date };
}
