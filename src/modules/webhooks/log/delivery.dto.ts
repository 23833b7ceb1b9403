import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ChoiceField, FRACTION, IntField, TimestampField, TextField } from '../../../core/http/body/fields.js';
import { PING } from '../event-catalogue.js';
import { EVENT } from '../subscriptions/webhook.dto.js';
import { intItem, ListField } from '../../../core/http/body/composite-fields.js';
import type { AttemptDetails } from '../delivery/webhook-sender.js';

export class WebhookDeliveryDto {
  @ApiProperty() id!: number;
  @ApiProperty() webhook_id!: number;
  @ApiProperty({
    oneOf: [EVENT, { type: 'string', enum: [PING] }],
  })
  event!: string;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Status of the response. 502 without a response, 504 after a timeout, null before the first attempt',
  })
  status_code!: number | null;
  @ApiProperty() redelivery!: boolean;
  @ApiProperty({ type: Number, nullable: true, description: 'How many attempts have been made' })
  attempt!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Duration of the last attempt in milliseconds' })
  request_duration!: number | null;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time', description: 'Of the last attempt' }) updated_date!: string;
  @ApiProperty({ description: 'Keys of `before_update`, separated by commas' }) changed_fields!: string;
  @ApiProperty({ type: Object, additionalProperties: true, description: 'The payload' }) request!: object;
  @ApiProperty({ description: 'Response body, up to 1 MiB' }) response!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Error of the last attempt and how to fix it. Null after a success',
  })
  error!: string | null;
}

/** A delivery in version 2.1. */
export class WebhookDelivery21Dto extends OmitType(WebhookDeliveryDto, ['error'] as const) {}

/** A delivery in version 2.0. */
export class WebhookDelivery20Dto extends OmitType(WebhookDelivery21Dto, ['attempt', 'request_duration'] as const) {}

const headers = { type: Object, additionalProperties: { type: 'string' } } as const;

export class AttemptMessageDto {
  @ApiProperty({ ...headers, description: 'Values of custom headers and of cookies are masked' })
  headers!: Readonly<Record<string, string>>;
  @ApiProperty({ description: 'Truncated to the size that the server stores' }) body!: string;
}

/** Milliseconds; null for a step that did not happen, as on a reused connection. */
export class AttemptTimingsDto {
  @ApiProperty({ ...FRACTION, nullable: true }) dns!: number | null;
  @ApiProperty({ ...FRACTION, nullable: true }) connect!: number | null;
  @ApiProperty({ ...FRACTION, nullable: true }) tls!: number | null;
  @ApiProperty({ ...FRACTION, nullable: true }) first_byte!: number | null;
  @ApiProperty(FRACTION) total!: number;
}

export class WebhookAttemptDto {
  @ApiProperty({ description: 'From 1' }) number!: number;
  @ApiProperty({ format: 'date-time' }) started_at!: string;
  @ApiProperty({ type: Number, nullable: true }) status_code!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Error and how to fix it. Null after a success' })
  error!: string | null;
  @ApiProperty({ type: AttemptMessageDto }) request!: AttemptMessageDto;
  @ApiProperty({ type: AttemptMessageDto }) response!: AttemptMessageDto;
  @ApiProperty({ type: [String], description: 'IP addresses that were tried. The last one was used.' })
  addresses!: readonly string[];
  @ApiProperty() reused_connection!: boolean;
  @ApiProperty({ type: AttemptTimingsDto }) timings!: AttemptTimingsDto;
}

export const WHICH = ['failed', 'missing', 'all'] as const;

export type Which = (typeof WHICH)[number];

const ANY_ID = { min: 0, max: Number.MAX_SAFE_INTEGER } as const;

export class RedeliverDto {
  @ListField(intItem(ANY_ID), { optional: true, notEmpty: true, maxItems: 1000, description: 'Ids of the deliveries' })
  ids?: number[];
  @TimestampField({ optional: true, description: 'Instead of `ids`: events since this time' })
  since?: string;
  @ChoiceField(WHICH, {
    optional: true,
    description: '`failed` (default): abandoned and not delivered since; `missing`: events without a delivery; `all`',
  })
  which?: Which;
  @IntField({
    optional: true,
    min: 1,
    max: 1000,
    description: 'Maximum number of deliveries per second. Absent: no limit',
  })
  rate?: number;
  @IntField({ ...ANY_ID, optional: true, description: '`next` of the previous response' }) after?: number;
}

export class RedeliveriesDto {
  @ApiProperty({ description: 'Deliveries that were queued, at most 1000' }) count!: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Value of `after` for the next request. Null if there is nothing left',
  })
  next!: number | null;
}

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

/** `delays`: the event is sent, but not immediately. `unknown`: cannot be determined without an event. */
const VERDICTS = ['passes', 'blocks', 'delays', 'unknown'] as const;
const STEPS = ['active', 'subscribed', 'event', 'active_since', 'filter', 'paused', 'batch', 'order', 'rate'] as const;

export class ExplanationStepDto {
  @ApiProperty({ enum: STEPS }) step!: (typeof STEPS)[number];
  @ApiProperty({ enum: VERDICTS }) verdict!: (typeof VERDICTS)[number];
  @ApiProperty({ description: 'Human-readable explanation' }) reason!: string;
  @ApiProperty({
    type: Object,
    additionalProperties: true,
    required: false,
    description: 'For the step `filter`: the values that the rule uses, by path',
  })
  values?: Readonly<Record<string, unknown>>;
}

export class ExplainedDeliveryDto {
  @ApiProperty() id!: number;
  @ApiProperty({ description: 'pending, leased, delivered or failed' }) status!: string;
  @ApiProperty({ type: Number, nullable: true }) status_code!: number | null;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) next_attempt_at!: string | null;
}

export class ExplanationDto {
  @ApiProperty() event!: string;
  @ApiProperty({ type: String, nullable: true }) object!: string | null;
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description:
      'Whether the webhook sends the newest stored event or, if none is stored, the next one. Null: it depends on the event',
  })
  fires!: boolean | null;
  @ApiProperty({ type: Number, nullable: true, description: 'The newest stored event' })
  event_id!: number | null;
  @ApiProperty({ type: [ExplanationStepDto], description: 'In order of evaluation' })
  steps!: ExplanationStepDto[];
  @ApiProperty({ type: ExplainedDeliveryDto, nullable: true, description: 'The last delivery of that event' })
  delivery!: ExplainedDeliveryDto | null;
}

export class SendSampleDto {
  @TextField({ max: 200, description: 'Name of the event' }) event!: string;
}

export class SampleDto {
  @ApiProperty() event!: string;
  @ApiProperty({ description: 'Whether the payload is generated, because no such event is stored' })
  is_generated!: boolean;
  @ApiProperty({ description: 'Whether the filter of the webhook is true for the payload' }) passes_filter!: boolean;
  @ApiProperty({ type: Object, additionalProperties: true, description: 'In the API version and form of the webhook' })
  payload!: Readonly<Record<string, unknown>>;
}
