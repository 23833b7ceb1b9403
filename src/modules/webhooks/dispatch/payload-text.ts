import { raw, type Sql, sql } from '../../../engines/sql/sql.js';

/** What follows the head of the payload for one webhook. */
const TAIL = { before: ',"webhook_id":', after: '}' };

const tailOf = (webhookId: number): string => `${TAIL.before}${webhookId}${TAIL.after}`;

/** SQL for the complete payload of a delivery: its own, or the head that it shares with others and the webhook's id. */
export const payloadText = (delivery: string): Sql => sql`coalesce(${raw(delivery)}.payload,
  (select head from webhook_payload where webhook_payload.id = ${raw(delivery)}.payload_id)
    || ${TAIL.before}::text || ${raw(delivery)}.webhook_id || ${TAIL.after}::text)`;

/** The complete payload for a webhook. */
export const textFor = (webhookId: number, head: string): string => head + tailOf(webhookId);

/** The head of such a payload. */
export const headIn = (webhookId: number, text: string): string => text.slice(0, -tailOf(webhookId).length);
