import { ApiProperty, OmitType } from '@nestjs/swagger';
import { BasicUserDto } from '../../../core/http/response/basic-user.dto.js';
import { API_VERSIONS, type ApiVersion } from '../../../core/versioning/accept.js';
import type { Rule } from '../../../engines/filter/rule.js';
import { PAYLOAD_FORMS, type PayloadForm } from '../../../core/events/payload.js';
import { ALL_EVENTS } from '../../../core/events/event-declaration.js';
import { WEBHOOK_TYPES, type WebhookType } from '../event-catalogue.js';
import { ChoicesField, intItem, ListField } from '../../../core/http/body/composite-fields.js';
import { BoolField, ChoiceField, IntField, JsonField, TextField } from '../../../core/http/body/fields.js';
import { POSSIBLE_URL, targetUrlProblem } from './target-url.js';

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
  @ApiProperty({ description: 'Sends one delivery at a time, in the order of the events' }) ordered!: boolean;
  @ApiProperty({
    type: [Number],
    nullable: true,
    description: 'Delay before each attempt in seconds. Null: the default of the server',
  })
  retry_schedule!: number[] | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Timeout of an attempt in seconds' })
  timeout!: number | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Maximum number of deliveries per second' }) rate_limit!:
    number | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Maximum number of concurrent deliveries' })
  max_concurrency!: number | null;
  @ApiProperty({ type: Object, additionalProperties: { type: 'string' }, description: 'Values are masked as `***`' })
  custom_headers!: Readonly<Record<string, string>>;
  @ApiProperty({ type: Object, additionalProperties: true, nullable: true, description: 'JSON Logic over the payload' })
  filter!: Rule | null;
  @ApiProperty({ enum: PAYLOAD_FORMS, description: 'Complete objects, or only their id and URL' })
  payload!: PayloadForm;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Saves of one object within this number of seconds are merged',
  })
  batch_window!: number | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Until when deliveries are paused after failures; null: not paused',
  })
  paused_until!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why the server disabled the webhook' })
  disabled_reason!: string | null;
}

/** Fields added in version 2.2: everything that CVAT's webhooks do not have. */
export const NEW_IN_22 = [
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
] as const;

/** A webhook in version 2.1. */
export class Webhook21Dto extends OmitType(WebhookDto, NEW_IN_22) {}

/** A webhook in version 2.0. */
export class Webhook20Dto extends OmitType(Webhook21Dto, ['project_id', 'last_status', 'last_delivery_date'] as const) {
  @ApiProperty({ type: Number, nullable: true }) project!: number | null;
  @ApiProperty({ type: Number, nullable: true }) last_status!: number | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) last_delivery_date!: string | null;
}

export class WebhookSecretDto {
  @ApiProperty({ description: 'Key that signs deliveries' }) secret!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When the previous secret expires' })
  previous_secret_until!: string | null;
}

class EventGroupDto {
  @ApiProperty({ example: 'Task' }) display_name!: string;
}

/** An event in the list of those that webhooks can subscribe to. */
export class ListedEventDto {
  @ApiProperty({ enum: ALL_EVENTS as string[] }) key!: string;
  @ApiProperty({ type: EventGroupDto, description: 'Where clients list it' }) group!: EventGroupDto;
}

export class WebhookEventsDto {
  @ApiProperty({ enum: ['all', ...WEBHOOK_TYPES] }) webhook_type!: string;
  @ApiProperty({ type: [ListedEventDto], description: "Events that CVAT's clients know" })
  events!: readonly ListedEventDto[];
  @ApiProperty({ type: [ListedEventDto], description: 'Further events. Webhooks can subscribe to them, too.' })
  newer_events!: readonly ListedEventDto[];
}

/** The events in version 2.1. */
export class WebhookEvents21Dto extends OmitType(WebhookEventsDto, ['newer_events'] as const) {}

/** The events in version 2.0: their names. */
export class WebhookEvents20Dto extends OmitType(WebhookEvents21Dto, ['events'] as const) {
  @ApiProperty({ type: 'array', items: EVENT }) events!: readonly string[];
}

const TargetUrlField = (options: { readonly optional: boolean }): PropertyDecorator =>
  TextField({ ...options, max: 8192, pattern: POSSIBLE_URL, patternMessage: targetUrlProblem, format: 'uri' });

/** Fields that every write accepts. */
class WebhookSettingsDto {
  @TextField({ max: 128, optional: true, blank: true }) description?: string;
  @ChoiceField(['application/json'], { optional: true }) content_type?: string;
  @TextField({
    max: 64,
    optional: true,
    blank: true,
    description: 'Key that signs deliveries. Empty: deliveries are not signed',
  })
  secret?: string;
  @BoolField({ optional: true, description: 'Whether deliveries are created and sent' }) is_active?: boolean;
  @BoolField({ optional: true, description: 'Whether the certificate of the target is verified' })
  enable_ssl?: boolean;
  @ChoiceField(API_VERSIONS, { optional: true, description: 'Version of the objects in payloads' })
  api_version?: ApiVersion;
  @BoolField({ optional: true, description: 'Sends one delivery at a time, in the order of the events' })
  ordered?: boolean;
  @ListField(intItem({ min: 0, max: 604_800 }), {
    optional: true,
    nullable: true,
    notEmpty: true,
    maxItems: 50,
    description: 'Delay before each attempt in seconds, including the first. Null: the default of the server',
  })
  retry_schedule?: number[] | null;
  @IntField({ optional: true, nullable: true, min: 1, max: 120, description: 'Timeout of an attempt in seconds' })
  timeout?: number | null;
  @IntField({
    optional: true,
    nullable: true,
    min: 1,
    max: 10_000,
    description: 'Maximum number of deliveries per second',
  })
  rate_limit?: number | null;
  @IntField({
    optional: true,
    nullable: true,
    min: 1,
    max: 1000,
    description: 'Maximum number of concurrent deliveries',
  })
  max_concurrency?: number | null;
  @JsonField({
    optional: true,
    description: 'Headers of every delivery, by name. Values are never shown; `***` keeps the stored one',
  })
  custom_headers?: Readonly<Record<string, string>>;
  @JsonField({
    optional: true,
    nullable: true,
    description: 'A JSON Logic rule over the payload. Only events for which it is true are sent. Null: all events',
  })
  filter?: Rule | null;
  @ChoiceField(PAYLOAD_FORMS, {
    optional: true,
    description: '`thin`: only the id and URL of the object, and the names of the changed fields',
  })
  payload?: PayloadForm;
  @IntField({
    optional: true,
    nullable: true,
    min: 1,
    max: 3600,
    description: 'Saves of one object within this number of seconds are merged into one delivery. Null: not merged',
  })
  batch_window?: number | null;
}

export class CreateWebhookDto extends WebhookSettingsDto {
  @BoolField({ optional: true, description: 'Generates a secret. Only this response contains it.' })
  generate_secret?: boolean;
  @TargetUrlField({ optional: false }) target_url!: string;
  @ChoiceField(WEBHOOK_TYPES) type!: WebhookType;
  @IntField({ optional: true, nullable: true, description: 'For the type `project`' }) project_id?: number | null;
  @IntField({ optional: true, nullable: true, description: 'Alias of `project_id`' }) project?: number | null;
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
