import { ChoicesField, intItem, ListField } from '../../../core/http/composite-fields.js';
import { BoolField, ChoiceField, IntField, JsonField, TextField } from '../../../core/http/fields.js';
import type { Rule } from '../../../engines/filter/rule.js';
import { API_VERSIONS, type ApiVersion } from '../../../core/versioning/accept.js';
import { ALL_EVENTS, WEBHOOK_TYPES, type WebhookType } from '../event-catalogue.js';
import { PAYLOAD_FORMS, type PayloadForm } from '../dispatch/payload.js';
import { TARGET_URL, targetUrlProblem } from './target-url.js';

const TargetUrlField = (options: { readonly optional: boolean }): PropertyDecorator =>
  TextField({ ...options, max: 8192, pattern: TARGET_URL, patternMessage: targetUrlProblem, format: 'uri' });

/** What every write may set. */
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

/** The body of PUT. Type and project of a webhook do not change. */
export class ReplaceWebhookDto extends WebhookSettingsDto {
  @TargetUrlField({ optional: false }) target_url!: string;
  @ChoicesField(ALL_EVENTS) events!: string[];
}

/** The body of PATCH. */
export class UpdateWebhookDto extends WebhookSettingsDto {
  @TargetUrlField({ optional: true }) target_url?: string;
  @ChoicesField(ALL_EVENTS, { optional: true }) events?: string[];
}
