import type { AttemptDetails } from '../delivery/attempt-details.js';
import type { WebhookAttemptDto } from './webhook-attempt.dto.js';

export interface AttemptRow {
  readonly number: number;
  readonly started_at: string;
  readonly duration: number;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly details: AttemptDetails | null;
}

/** @param payload what was sent, already cut */
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
