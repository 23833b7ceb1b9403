import type { Representation, WireObject } from '../../core/versioning/representations.js';

/** Version 2.0 calls the project `project`, always shows the last delivery and does not speak of versions. */
export const webhookVersions: Representation = {
  resource: 'webhook',
  older: { '2.0': toVersion20 },
};

function toVersion20(webhook: WireObject): WireObject {
  const { last_status = null, last_delivery_date = null, api_version: _newer, ...rest } = webhook;
  const entries = Object.entries(rest).map(([key, value]) => [key === 'project_id' ? 'project' : key, value] as const);
  return { ...Object.fromEntries(entries), last_status, last_delivery_date };
}
