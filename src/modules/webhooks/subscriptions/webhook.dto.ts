import { ApiProperty, OmitType } from '@nestjs/swagger';
import { BasicUserDto } from '../../../core/http/basic-user.dto.js';
import { API_VERSIONS } from '../../../core/versioning/accept.js';
import type { Rule } from '../../../engines/filter/rule.js';
import { PAYLOAD_FORMS, type PayloadForm } from '../dispatch/payload.js';
import { ALL_EVENTS, WEBHOOK_TYPES } from '../event-catalogue.js';

/** The list grows while modules are loaded, so it is not looked at here. */
export const EVENT = { type: 'string', enum: ALL_EVENTS as string[] };

export class WebhookDto {
  @ApiProperty() id!: number;
  @ApiProperty({ format: 'uri' }) url!: string;
  @ApiProperty({ format: 'uri', maxLength: 8192, description: 'Where deliveries are sent' }) target_url!: string;
  @ApiProperty({ maxLength: 128 }) description!: string;
  @ApiProperty({ enum: WEBHOOK_TYPES }) type!: string;
  @ApiProperty({ enum: ['application/json'] }) content_type!: string;
  @ApiProperty() is_active!: boolean;
  @ApiProperty() enable_ssl!: boolean;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
  @ApiProperty({ type: BasicUserDto, nullable: true }) owner!: BasicUserDto | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Version 2.0: `project`' }) project_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) organization!: number | null;
  @ApiProperty({ type: 'array', items: EVENT, description: 'Sorted' }) events!: string[];
  @ApiProperty({
    type: Number,
    nullable: true,
    required: false,
    description: 'Status of the last delivery; absent before the first one (version 2.0: null)',
  })
  last_status?: number | null;
  @ApiProperty({ type: String, format: 'date-time', required: false }) last_delivery_date?: string;
  @ApiProperty({ enum: API_VERSIONS, description: 'Version of the objects in payloads' }) api_version!: string;
  @ApiProperty({ description: 'One delivery at a time, in the order of the events' }) ordered!: boolean;
  @ApiProperty({ type: [Number], nullable: true, description: "Seconds before each attempt; null: the server's" })
  retry_schedule!: number[] | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Seconds that the target may take to answer' })
  timeout!: number | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Deliveries in a second' }) rate_limit!: number | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Deliveries at a time' }) max_concurrency!: number | null;
  @ApiProperty({ type: Object, additionalProperties: { type: 'string' }, description: 'Every value is shown as `***`' })
  custom_headers!: Readonly<Record<string, string>>;
  @ApiProperty({ type: Object, additionalProperties: true, nullable: true, description: 'JSON Logic over the payload' })
  filter!: Rule | null;
  @ApiProperty({ enum: PAYLOAD_FORMS, description: 'Whole objects, or their id and address' }) payload!: PayloadForm;
  @ApiProperty({ type: Number, nullable: true, description: 'Seconds within which saves of one object are merged' })
  batch_window!: number | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Set while too much has failed' })
  paused_until!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why the server switched it off' })
  disabled_reason!: string | null;
}

/** A webhook in version 2.1. */
export class Webhook21Dto extends OmitType(WebhookDto, [
  'api_version',
  'ordered',
  'retry_schedule',
  'timeout',
  'rate_limit',
  'max_concurrency',
  'custom_headers',
  'filter',
  'payload',
  'batch_window',
  'paused_until',
  'disabled_reason',
] as const) {}

/** A webhook in version 2.0. */
export class Webhook20Dto extends OmitType(Webhook21Dto, ['project_id', 'last_status', 'last_delivery_date'] as const) {
  @ApiProperty({ type: Number, nullable: true }) project!: number | null;
  @ApiProperty({ type: Number, nullable: true }) last_status!: number | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) last_delivery_date!: string | null;
}

export class WebhookSecretDto {
  @ApiProperty({ description: 'Keys the signatures' }) secret!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Until when the one before is valid' })
  previous_secret_until!: string | null;
}

export class WebhookEventsDto {
  @ApiProperty({ enum: ['all', ...WEBHOOK_TYPES] }) webhook_type!: string;
  @ApiProperty({ type: 'array', items: EVENT, description: 'What version 2.1 of the API knows' })
  events!: readonly string[];
  @ApiProperty({ type: 'array', items: EVENT, description: 'What came after it; can be subscribed to as well' })
  newer_events!: readonly string[];
}

/** The events in versions 2.0 and 2.1. */
export class WebhookEvents21Dto extends OmitType(WebhookEventsDto, ['newer_events'] as const) {}
