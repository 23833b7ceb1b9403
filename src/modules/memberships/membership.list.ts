import { choice, integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { raw } from '../../engines/sql/sql.js';
import { ROLES } from './membership.dto.js';
import { MEMBERSHIP_FROM } from './membership.mapper.js';

export const membershipList: ListSpec = {
  from: MEMBERSHIP_FROM,
  fields: {
    id: integer('membership.id'),
    user: text('member.username'),
    role: choice('membership.role', ROLES),
  },
  search: ['user', 'role'],
  simple: ['user', 'role'],
  defaultSort: '-id',
  organization: raw('membership.organization_id'),
};
