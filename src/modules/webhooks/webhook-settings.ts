import { type Sql, sql } from '../../engines/sql/sql.js';
import type { UpdateWebhookDto } from './dto/write-webhook.dto.js';

/** Assignments that forget what has failed. */
export const RESUMED: readonly Sql[] = [
  sql`failures = 0`,
  sql`failing_since = null`,
  sql`paused_until = null`,
  sql`disabled_reason = null`,
];

type DeliverySettings = Pick<
  UpdateWebhookDto,
  'ordered' | 'retry_schedule' | 'timeout' | 'rate_limit' | 'max_concurrency' | 'custom_headers'
>;

/** Assignments of how a webhook wants to be sent to, for what a body names. */
export function deliverySettings(dto: DeliverySettings): Sql[] {
  return [
    ...(dto.ordered === undefined ? [] : [sql`ordered = ${dto.ordered}`]),
    ...(dto.retry_schedule === undefined ? [] : [sql`retry_schedule = ${dto.retry_schedule}::int[]`]),
    ...(dto.timeout === undefined ? [] : [sql`timeout = ${dto.timeout}`]),
    ...(dto.rate_limit === undefined ? [] : [sql`rate_limit = ${dto.rate_limit}`]),
    ...(dto.max_concurrency === undefined ? [] : [sql`max_concurrency = ${dto.max_concurrency}`]),
    ...(dto.custom_headers === undefined ? [] : [sql`custom_headers = ${JSON.stringify(dto.custom_headers)}::json`]),
  ];
}
