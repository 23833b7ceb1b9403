import { bool, integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { raw } from '../../engines/sql/sql.js';

export const userList: ListSpec = {
  from: raw('app_user'),
  fields: {
    id: integer('app_user.id'),
    username: text('app_user.username'),
    first_name: text('app_user.first_name'),
    last_name: text('app_user.last_name'),
    is_active: bool('app_user.is_active'),
  },
  search: ['username', 'first_name', 'last_name'],
  simple: ['username', 'first_name', 'last_name', 'is_active'],
  defaultSort: '-id',
};
