import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../../core/http/fields.js';

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
