import type { Urls } from '../../../core/http/response/urls.js';
import type { ApiVersion } from '../../../core/versioning/accept.js';
import type { Rule } from '../../../engines/filter/rule.js';
import { readBasicUser } from '../../users/index.js';
import { type CustomHeaders, maskedHeaders } from './webhook-settings.js';
import { type ListedEventDto, NEW_IN_22, type WebhookDto } from './webhook.dto.js';
import { isListedIn20, type WebhookType } from '../event-catalogue.js';
import type { PayloadForm } from '../../../core/events/payload.js';
import type { SealedSecrets } from './webhook-secrets.js';
import type { Representation, WireObject } from '../../../core/versioning/representations.js';

export interface WebhookRow extends SealedSecrets {
  readonly id: number;
  readonly target_url: string;
  readonly description: string;
  readonly type: WebhookType;
  readonly content_type: string;
  readonly ordered: boolean;
  readonly retry_schedule: number[] | null;
  readonly timeout: number | null;
  readonly rate_limit: number | null;
  readonly max_concurrency: number | null;
  readonly custom_headers: CustomHeaders;
  readonly filter: Rule | null;
  readonly payload: PayloadForm;
  readonly batch_window: number | null;
  readonly paused_until: string | null;
  readonly disabled_reason: string | null;
  readonly is_active: boolean;
  readonly enable_ssl: boolean;
  readonly api_version: ApiVersion;
  readonly owner_id: number | null;
  readonly project_id: number | null;
  readonly organization_id: number | null;
  readonly events: string[];
  readonly last_status: number | null;
  readonly last_delivery_date: string | null;
  readonly created_date: string;
  readonly updated_date: string;
}

export const toWebhook = (row: WebhookRow, urls: Urls): WebhookDto => ({
  id: row.id,
  url: urls.webhook(row.id),
  target_url: row.target_url,
  description: row.description,
  type: row.type,
  content_type: row.content_type,
  is_active: row.is_active,
  enable_ssl: row.enable_ssl,
  created_date: row.created_date,
  updated_date: row.updated_date,
  owner: readBasicUser(row, 'owner', urls),
  project_id: row.project_id,
  organization: row.organization_id,
  events: row.events,
  ...(row.last_delivery_date === null
    ? {}
    : { last_status: row.last_status, last_delivery_date: row.last_delivery_date }),
  api_version: row.api_version,
  ordered: row.ordered,
  retry_schedule: row.retry_schedule,
  timeout: row.timeout,
  rate_limit: row.rate_limit,
  max_concurrency: row.max_concurrency,
  custom_headers: maskedHeaders(row.custom_headers),
  filter: row.filter,
  payload: row.payload,
  batch_window: row.batch_window,
  paused_until: row.paused_until,
  disabled_reason: row.disabled_reason,
});

/**
 * Versions 2.0 and 2.1 hide our additions. Version 2.0 names the project `project` and always shows the last delivery.
 */
export const webhookVersions: readonly Representation[] = [
  {
    resource: 'webhook',
    older: {
      '2.0': (webhook) => toVersion20(without(NEW_IN_22, webhook)),
      '2.1': (webhook) => without(NEW_IN_22, webhook),
    },
  },
  {
    resource: 'webhook_delivery',
    older: {
      '2.0': (delivery) => without(['attempt', 'request_duration', 'error'], delivery),
      '2.1': (delivery) => without(['error'], delivery),
    },
  },
  {
    resource: 'webhook_events',
    older: { '2.0': toEvents20, '2.1': (list) => without(['newer_events'], list) },
  },
];

/** Names; those of server webhooks are all in one list. */
function toEvents20({ webhook_type, events, newer_events }: WireObject): WireObject {
  const names = [events, newer_events].flatMap((list) => (list as readonly ListedEventDto[]).map(({ key }) => key));
  return { webhook_type, events: webhook_type === 'server' ? names : names.filter(isListedIn20).toSorted() };
}

const without = (keys: readonly string[], object: WireObject): WireObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

function toVersion20(webhook: WireObject): WireObject {
  const { last_status = null, last_delivery_date = null, ...rest } = webhook;
  const entries = Object.entries(rest).map(([key, value]) => [key === 'project_id' ? 'project' : key, value] as const);
  return { ...Object.fromEntries(entries), last_status, last_delivery_date };
}
