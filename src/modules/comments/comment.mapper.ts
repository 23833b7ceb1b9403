import type { Urls } from '../../core/http/urls.js';
import { readBasicUser } from '../users/index.js';
import type { CommentDto } from './comment.dto.js';

export interface CommentRow {
  readonly id: number;
  readonly issue_id: number;
  readonly owner_id: number | null;
  readonly message: string;
  readonly created_date: string;
  readonly updated_date: string;
  readonly organization_id: number | null;
  readonly project_id: number | null;
}

export const toComment = (row: CommentRow, urls: Urls): CommentDto => ({
  id: row.id,
  issue: row.issue_id,
  owner: readBasicUser(row, 'owner', urls),
  message: row.message,
  created_date: row.created_date,
  updated_date: row.updated_date,
});
