import type { WebhookAttemptDto, WebhookDeliveryDto } from './delivery.dto.js';
import type { AttemptDetails } from '../delivery/webhook-sender.js';

export interface DeliveryRow {
  readonly id: number;
  readonly webhook_id: number;
  readonly event: string;
  readonly status_code: number | null;
  readonly redelivery: boolean;
  readonly attempts: number;
  readonly request_duration: number | null;
  readonly created_date: string;
  readonly updated_date: string;
  readonly changed_fields: string;
  readonly payload: string;
  readonly response: string;
  readonly error: string | null;
}

export const toDelivery = (row: DeliveryRow): WebhookDeliveryDto => ({
  id: row.id,
  webhook_id: row.webhook_id,
  event: row.event,
  status_code: row.status_code,
  redelivery: row.redelivery,
  attempt: row.attempts,
  request_duration: row.request_duration,
  created_date: row.created_date,
  updated_date: row.updated_date,
  changed_fields: row.changed_fields,
  request: JSON.parse(row.payload) as object,
  response: row.response,
  error: row.error,
});

export interface AttemptRow {
  readonly number: number;
  readonly started_at: string;
  readonly duration: number;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly details: AttemptDetails | null;
}

/** @param payload the payload that was sent, already truncated */
export const toAttempt = (row: AttemptRow, payload: string): WebhookAttemptDto => ({
  number: row.number,
  started_at: row.started_at,
  status_code: row.status_code,
  error: row.error,
  request: { headers: row.details?.requestHeaders ?? {}, body: payload },
  response: { headers: row.details?.responseHeaders ?? {}, body: row.details?.responseBody ?? '' },
  addresses: row.details?.addresses ?? [],
  reused_connection: row.details?.reused ?? false,
  timings: {
    dns: row.details?.timings.dns ?? null,
    connect: row.details?.timings.connect ?? null,
    tls: row.details?.timings.tls ?? null,
    first_byte: row.details?.timings.firstByte ?? null,
    total: row.details?.timings.total ?? row.duration,
  },
});
