import { ApiProperty } from '@nestjs/swagger';

export class CreationStatusDto {
  @ApiProperty({ enum: ['Queued', 'Started', 'Finished', 'Failed'] }) state!: string;
  @ApiProperty() message!: string;
  @ApiProperty() progress!: number;
}
