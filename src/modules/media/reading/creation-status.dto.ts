import { ApiProperty } from '@nestjs/swagger';
import { FRACTION } from '../../../core/http/fields.js';

export class CreationStatusDto {
  @ApiProperty({ enum: ['Queued', 'Started', 'Finished', 'Failed'] }) state!: string;
  @ApiProperty() message!: string;
  @ApiProperty(FRACTION) progress!: number;
}
