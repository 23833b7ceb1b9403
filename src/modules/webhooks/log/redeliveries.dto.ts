import { ApiProperty } from '@nestjs/swagger';
import { intItem, ListField } from '../../../core/http/composite-fields.js';
import { ChoiceField, IntField, TimestampField } from '../../../core/http/fields.js';

export const WHICH = ['failed', 'missing', 'all'] as const;
export type Which = (typeof WHICH)[number];

const ANY_ID = { min: 0, max: Number.MAX_SAFE_INTEGER } as const;

export class RedeliverDto {
  @ListField(intItem(ANY_ID), { optional: true, notEmpty: true, maxItems: 1000, description: 'These deliveries' })
  ids?: number[];
  @TimestampField({ optional: true, description: 'Instead of `ids`: what happened from this moment on' })
  since?: string;
  @ChoiceField(WHICH, {
    optional: true,
    description: '`failed` (default): given up and not delivered since; `missing`: events without a delivery; `all`',
  })
  which?: Which;
  @IntField({ optional: true, min: 1, max: 1000, description: 'Deliveries in a second; absent: all at once' })
  rate?: number;
  @IntField({ ...ANY_ID, optional: true, description: 'The `next` of the answer before' }) after?: number;
}

export class RedeliveriesDto {
  @ApiProperty({ description: 'Deliveries that were queued, at most 1000' }) count!: number;
  @ApiProperty({ type: Number, nullable: true, description: 'There is more: the `after` of the next request' })
  next!: number | null;
}
