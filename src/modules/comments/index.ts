export type { CommentEvent } from './comment.events.js';
export { CommentsModule } from './comments.module.js';
