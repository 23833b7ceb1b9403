import { integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { raw } from '../../engines/sql/sql.js';

export const organizationList: ListSpec = {
  from: raw('organization left join app_user owner on owner.id = organization.owner_id'),
  fields: {
    id: integer('organization.id'),
    name: text('organization.name'),
    owner: text('owner.username'),
    slug: text('organization.slug'),
  },
  search: ['name', 'owner', 'slug'],
  simple: ['name', 'owner', 'slug'],
  defaultSort: '-id',
};
