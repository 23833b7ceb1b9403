import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { FRACTION } from '../../core/http/fields.js';

export class AboutDto {
  @ApiProperty({ maxLength: 128 }) name!: string;
  @ApiProperty({ maxLength: 2048 }) description!: string;
  @ApiProperty({ maxLength: 64, description: 'The CVAT client version that this server is compatible with' })
  version!: string;
  @ApiProperty({ format: 'uri' }) logo_url!: string;
  @ApiProperty({ maxLength: 1024 }) subtitle!: string;
}

export class PluginsDto {
  @ApiProperty() GIT_INTEGRATION!: boolean;
  @ApiProperty() ANALYTICS!: boolean;
  @ApiProperty() MODELS!: boolean;
  @ApiProperty() PREDICT!: boolean;
}

export class FormatDto {
  @ApiProperty() name!: string;
  @ApiProperty() ext!: string;
  @ApiProperty() version!: string;
  @ApiProperty() enabled!: boolean;
  @ApiProperty() dimension!: string;
}

export class FormatsDto {
  @ApiProperty({ type: [FormatDto] }) importers!: FormatDto[];
  @ApiProperty({ type: [FormatDto] }) exporters!: FormatDto[];
}

export class WaitingDto {
  @ApiProperty() waiting!: number;
  @ApiProperty({ ...FRACTION, nullable: true, description: 'Age of the oldest entry' }) oldest_seconds!: number | null;
}

@ApiExtraModels(WaitingDto)
export class HealthCheckDto {
  @ApiProperty({ example: 'working' }) Database!: string;
  @ApiProperty({ example: 'working' }) Storage!: string;
  @ApiProperty({
    type: Object,
    required: false,
    nullable: true,
    additionalProperties: { $ref: getSchemaPath(WaitingDto) },
    description: 'With `details=true`: the backlog by queue (`events`, `deliveries`, `requests`)',
  })
  details?: Readonly<Record<string, WaitingDto>> | null;
}
