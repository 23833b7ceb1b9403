import { ApiProperty } from '@nestjs/swagger';
import { FRACTION } from '../../../core/http/fields.js';

const headers = { type: Object, additionalProperties: { type: 'string' } } as const;

export class AttemptMessageDto {
  @ApiProperty({ ...headers, description: 'Values of custom headers and of cookies are masked' })
  headers!: Readonly<Record<string, string>>;
  @ApiProperty({ description: 'Cut at the size that the server keeps' }) body!: string;
}

/** Milliseconds; null for a step that was not taken, as on a connection that was open already. */
export class AttemptTimingsDto {
  @ApiProperty({ ...FRACTION, nullable: true }) dns!: number | null;
  @ApiProperty({ ...FRACTION, nullable: true }) connect!: number | null;
  @ApiProperty({ ...FRACTION, nullable: true }) tls!: number | null;
  @ApiProperty({ ...FRACTION, nullable: true }) first_byte!: number | null;
  @ApiProperty(FRACTION) total!: number;
}

export class WebhookAttemptDto {
  @ApiProperty({ description: 'From 1' }) number!: number;
  @ApiProperty({ format: 'date-time' }) started_at!: string;
  @ApiProperty({ type: Number, nullable: true }) status_code!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'What went wrong and what to do; null for a success' })
  error!: string | null;
  @ApiProperty({ type: AttemptMessageDto }) request!: AttemptMessageDto;
  @ApiProperty({ type: AttemptMessageDto }) response!: AttemptMessageDto;
  @ApiProperty({ type: [String], description: 'Addresses that were connected to, the last one is the one in use' })
  addresses!: readonly string[];
  @ApiProperty() reused_connection!: boolean;
  @ApiProperty({ type: AttemptTimingsDto }) timings!: AttemptTimingsDto;
}
