import { IntField } from '../../core/http/fields.js';

export class TransferDto {
  @IntField({ min: 1, description: 'The new owner: an active member' }) user_id!: number;
}
