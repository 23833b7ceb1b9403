import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../core/http/fields.js';

export class CreateBoxDto {
  @TextField({ max: 64, optional: true, blank: true, description: 'Of the webhook: then signatures are judged' })
  secret?: string;
}

export class InspectBoxDto {
  @ApiProperty() id!: string;
  @ApiProperty({ format: 'uri', description: 'The target of a webhook; in a browser, the page that shows what came' })
  url!: string;
  @ApiProperty({ description: 'Whether signatures are judged' }) has_secret!: boolean;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time', description: 'Then it goes, with what came' }) expiry_date!: string;
}

export class InspectSignaturesDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of `webhook-signature`: what is wrong; null: it is right',
  })
  standard!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Of `X-Signature-256`' }) body!: string | null;
}

export class InspectArrivalDto {
  @ApiProperty() id!: number;
  @ApiProperty({ format: 'date-time' }) received_date!: string;
  @ApiProperty({ type: Object, additionalProperties: { type: 'string' } }) headers!: Readonly<Record<string, string>>;
  @ApiProperty({ description: 'Cut at 64 KiB' }) body!: string;
  @ApiProperty({ description: 'Bytes of the whole body' }) size!: number;
  @ApiProperty({ type: InspectSignaturesDto, nullable: true, description: 'Null: the secret was not told' })
  signatures!: InspectSignaturesDto | null;
}
