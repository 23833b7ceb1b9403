import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';

/** A user who has the job open. */
export class PresentPersonDto {
  @ApiProperty({ type: BasicUserDto }) user!: BasicUserDto;
  @ApiProperty({ format: 'date-time', description: 'When the first of these windows opened the job' })
  since_date!: string;
  @ApiProperty({ description: 'Number of windows in which the user has the job open' }) windows!: number;
}

export class PresentJobDto {
  @ApiProperty() stage!: string;
  @ApiProperty() state!: string;
  @ApiProperty({ type: BasicUserDto, nullable: true }) assignee!: BasicUserDto | null;
}

/** A message of the stream. */
export class PresenceDto {
  @ApiProperty({ type: [PresentPersonDto], description: 'In the order in which they opened the job; at most 100' })
  people!: PresentPersonDto[];
  @ApiProperty({ description: 'Id of the last save of the annotations. 0: none' }) revision!: number;
  @ApiProperty({
    type: PresentJobDto,
    nullable: true,
    description: 'Null in the last message: the job is deleted, or you can no longer view it',
  })
  job!: PresentJobDto | null;
}
