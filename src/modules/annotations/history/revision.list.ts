import { choice, integer, type ListSpec, text, timestamp } from '../../../core/list/list-spec.js';
import { REVISION_FROM } from './revision.repository.js';
import { REVISION_ACTIONS } from './saving.js';

export const revisionList: ListSpec = {
  from: REVISION_FROM,
  fields: {
    id: integer('revision.id'),
    action: choice('revision.action', REVISION_ACTIONS),
    author: text('author.username'),
    created_date: timestamp('revision.created_date'),
  },
  search: ['author'],
  simple: ['action', 'author'],
  defaultSort: '-id',
};
