import { ApiProperty, OmitType } from '@nestjs/swagger';
import { BasicUserDto } from '../../../core/http/response/basic-user.dto.js';
import { API_VERSIONS, type ApiVersion } from '../../../core/versioning/accept.js';
import type { Rule } from '../../../engines/filter/rule.js';
import { PAYLOAD_FORMS, type PayloadForm } from '../dispatch/payload.js';
import { ALL_EVENTS, WEBHOOK_TYPES, type WebhookType } from '../event-catalogue.js';
import { ChoicesField, intItem, ListField } from '../../../core/http/body/composite-fields.js';
import { BoolField, ChoiceField, IntField, JsonField, TextField } from '../../../core/http/body/fields.js';
import { TARGET_URL, targetUrlProblem } from './target-url.js';

/** The array is passed by reference and not read here, because it grows while modules are loaded. */
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

const TargetUrlField = (options: { readonly optional: boolean }): PropertyDecorator =>
  TextField({ ...options, max: 8192, pattern: TARGET_URL, patternMessage: targetUrlProblem, format: 'uri' });

/** Fields that every write accepts. */
class WebhookSettingsDto {
  @TextField({ max: 128, optional: true, blank: true }) description?: string;
  @ChoiceField(['application/json'], { optional: true }) content_type?: string;
  @TextField({ max: 64, optional: true, blank: true, description: 'Keys the signatures; empty: no signatures' })
  secret?: string;
  @BoolField({ optional: true, description: 'Whether deliveries are made and sent' }) is_active?: boolean;
  @BoolField({ optional: true, description: 'Whether the certificate of the target is verified' })
  enable_ssl?: boolean;
  @ChoiceField(API_VERSIONS, { optional: true, description: 'Version of the objects in payloads' })
  api_version?: ApiVersion;
  @BoolField({ optional: true, description: 'One delivery at a time, in the order of the events' }) ordered?: boolean;
  @ListField(intItem({ min: 0, max: 604_800 }), {
    optional: true,
    nullable: true,
    notEmpty: true,
    maxItems: 50,
    description: "Seconds before each attempt, the first one included; null: the server's setting",
  })
  retry_schedule?: number[] | null;
  @IntField({ optional: true, nullable: true, min: 1, max: 120, description: 'Seconds that the target may take' })
  timeout?: number | null;
  @IntField({ optional: true, nullable: true, min: 1, max: 10_000, description: 'Deliveries in a second' })
  rate_limit?: number | null;
  @IntField({ optional: true, nullable: true, min: 1, max: 1000, description: 'Deliveries at a time' })
  max_concurrency?: number | null;
  @JsonField({
    optional: true,
    description: 'Headers of every delivery, by name. Values are never shown; `***` keeps the stored one',
  })
  custom_headers?: Readonly<Record<string, string>>;
  @JsonField({
    optional: true,
    nullable: true,
    description: 'A rule in JSON Logic over the payload: what it is false for is not sent; null: everything is',
  })
  filter?: Rule | null;
  @ChoiceField(PAYLOAD_FORMS, {
    optional: true,
    description: '`thin`: of the object only its id and address, and the names of the changed fields',
  })
  payload?: PayloadForm;
  @IntField({
    optional: true,
    nullable: true,
    min: 1,
    max: 3600,
    description: 'Seconds within which saves of one object (only its date changes) become one delivery; null: none do',
  })
  batch_window?: number | null;
}

export class CreateWebhookDto extends WebhookSettingsDto {
  @BoolField({ optional: true, description: 'Makes a secret, which is in this answer and in no other' })
  generate_secret?: boolean;
  @TargetUrlField({ optional: false }) target_url!: string;
  @ChoiceField(WEBHOOK_TYPES) type!: WebhookType;
  @IntField({ optional: true, nullable: true, description: 'For the type `project`' }) project_id?: number | null;
  @IntField({ optional: true, nullable: true, description: 'Another name of `project_id`' }) project?: number | null;
  @ChoicesField(ALL_EVENTS) events!: string[];
}

/** The body of PUT. Type and project of a webhook are immutable. */
export class ReplaceWebhookDto extends WebhookSettingsDto {
  @TargetUrlField({ optional: false }) target_url!: string;
  @ChoicesField(ALL_EVENTS) events!: string[];
}

/** The body of PATCH. */
export class UpdateWebhookDto extends WebhookSettingsDto {
  @TargetUrlField({ optional: true }) target_url?: string;
  @ChoicesField(ALL_EVENTS, { optional: true }) events?: string[];
}
