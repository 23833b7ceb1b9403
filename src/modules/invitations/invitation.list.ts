import { bool, integer, type ListSpec, text, timestamp } from '../../core/list/list-spec.js';
import { raw } from '../../engines/sql/sql.js';
import { INVITATION_FROM } from './invitation.mapper.js';

export const invitationList: ListSpec = {
  from: INVITATION_FROM,
  fields: {
    owner: text('owner.username'),
    user_id: integer('membership.user_id'),
    accepted: bool('membership.is_active'),
    created_date: timestamp('invitation.created_date'),
  },
  search: ['owner'],
  simple: ['owner', 'user_id', 'accepted'],
  sortable: ['owner', 'created_date'],
  defaultSort: '-created_date',
  key: raw('invitation.key'),
  organization: raw('membership.organization_id'),
};
