import { columns, declareEvents } from '../../core/events/event-declaration.js';
import type { Created, Deleted, Updated } from '../../core/events/event-map.js';
import { CommentDto } from './comment.dto.js';

declare module '../../core/events/event-map.js' {
  interface EventMap {
    'create:comment': Created<CommentDto>;
    'update:comment': Updated<CommentDto>;
    'delete:comment': Deleted<CommentDto>;
  }
}

declareEvents({
  resource: 'comment',
  object: CommentDto,
  operations: {
    create: 'A comment is created',
    update: 'A comment is updated',
    delete: 'A comment is deleted, on its own or with its issue, job, task or project',
  },
  columns: { ...columns('message', 'created_date', 'updated_date'), owner: 'owner_id' },
});
