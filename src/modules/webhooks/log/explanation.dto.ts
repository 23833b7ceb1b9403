import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../../core/http/fields.js';

/** `unknown`: undecidable without an event. `waits`: sent, but not immediately. */
export const VERDICTS = ['passes', 'stops', 'waits', 'unknown'] as const;
export const STEPS = [
  'active',
  'subscribed',
  'happened',
  'since',
  'filter',
  'paused',
  'batch',
  'order',
  'pace',
] as const;

export class ExplanationStepDto {
  @ApiProperty({ enum: STEPS }) step!: (typeof STEPS)[number];
  @ApiProperty({ enum: VERDICTS }) verdict!: (typeof VERDICTS)[number];
  @ApiProperty({ description: 'A sentence for a person' }) reason!: string;
  @ApiProperty({
    type: Object,
    additionalProperties: true,
    required: false,
    description: 'For the step `filter`: the values that the rule asked for, by their paths',
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
      'Whether the webhook is told of it: the event that was found, or the next one; null: it depends on the event',
  })
  fires!: boolean | null;
  @ApiProperty({ type: Number, nullable: true, description: 'The newest such event of the place that is still kept' })
  event_id!: number | null;
  @ApiProperty({ type: [ExplanationStepDto], description: 'In the order in which they are decided' })
  steps!: ExplanationStepDto[];
  @ApiProperty({ type: ExplainedDeliveryDto, nullable: true, description: 'The last delivery of that event' })
  delivery!: ExplainedDeliveryDto | null;
}

export class SendSampleDto {
  @TextField({ max: 200, description: 'Name of the event' }) event!: string;
}

export class SampleDto {
  @ApiProperty() event!: string;
  @ApiProperty({ description: 'No such event of the place is kept: the values are of no object that there is' })
  is_made_up!: boolean;
  @ApiProperty({ description: "What the webhook's filter says of it" }) passes_filter!: boolean;
  @ApiProperty({ type: Object, additionalProperties: true, description: "In the webhook's API version and form" })
  payload!: Readonly<Record<string, unknown>>;
}
