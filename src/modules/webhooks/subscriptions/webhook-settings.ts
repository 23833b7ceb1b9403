import { type Sql, sql } from '../../../engines/sql/sql.js';
import { headersToStore, requireCustomHeaders, type StoredHeaders } from './custom-headers.js';
import type { UpdateWebhookDto } from './write-webhook.dto.js';
import { requireFilter } from '../dispatch/shaping.js';

/** Assignments that forget what has failed. */
export const RESUMED: readonly Sql[] = [
  sql`failures = 0`,
  sql`failing_since = null`,
  sql`paused_until = null`,
  sql`disabled_reason = null`,
];

type DeliverySettings = Pick<
  UpdateWebhookDto,
  | 'target_url'
  | 'ordered'
  | 'retry_schedule'
  | 'timeout'
  | 'rate_limit'
  | 'max_concurrency'
  | 'custom_headers'
  | 'filter'
  | 'payload'
  | 'batch_window'
>;

/** @throws Invalid for what the fields' own checks cannot see */
export function requireSettings(dto: DeliverySettings): void {
  if (dto.custom_headers !== undefined) requireCustomHeaders(dto.custom_headers);
  if (dto.filter !== undefined) requireFilter(dto.filter);
}

/**
 * Assignments of how a webhook wants to be sent to, for what a body names.
 * @param stored null for a new webhook
 * @throws Invalid for headers whose values nobody gave
 */
export function deliverySettings(dto: DeliverySettings, stored: StoredHeaders | null): Sql[] {
  const headers = headersToStore(dto, stored);
  return [
    ...(dto.ordered === undefined ? [] : [sql`ordered = ${dto.ordered}`]),
    ...(dto.retry_schedule === undefined ? [] : [sql`retry_schedule = ${dto.retry_schedule}::int[]`]),
    ...(dto.timeout === undefined ? [] : [sql`timeout = ${dto.timeout}`]),
    ...(dto.rate_limit === undefined ? [] : [sql`rate_limit = ${dto.rate_limit}`]),
    ...(dto.max_concurrency === undefined ? [] : [sql`max_concurrency = ${dto.max_concurrency}`]),
    ...(headers === undefined ? [] : [sql`custom_headers = ${JSON.stringify(headers)}::json`]),
    ...(dto.filter === undefined
      ? []
      : [sql`filter = ${dto.filter === null ? null : JSON.stringify(dto.filter)}::json`]),
    ...(dto.payload === undefined ? [] : [sql`payload = ${dto.payload}`]),
    ...(dto.batch_window === undefined ? [] : [sql`batch_window = ${dto.batch_window}`]),
  ];
}
