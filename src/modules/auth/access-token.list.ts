import { bool, integer, type ListSpec, text, timestamp } from '../../core/list/list-spec.js';
import { raw } from '../../engines/sql/sql.js';

export const accessTokenList: ListSpec = {
  from: raw('access_token join app_user owner on owner.id = access_token.owner_id'),
  fields: {
    id: integer('access_token.id'),
    name: text('access_token.name'),
    read_only: bool('access_token.read_only'),
    created_date: timestamp('access_token.created_date'),
    updated_date: timestamp('access_token.updated_date'),
    expiry_date: timestamp('access_token.expiry_date'),
    last_used_date: timestamp('access_token.last_used_date'),
  },
  search: ['name'],
  simple: ['name', 'read_only'],
  defaultSort: '-id',
};
