import type { GuideDto, WrittenGuideDto } from './guide.dto.js';

export interface GuideRow {
  readonly id: number;
  readonly task_id: number | null;
  readonly project_id: number | null;
  readonly markdown: string;
  readonly is_public: boolean;
  readonly created_date: string;
  readonly updated_date: string;
}

export const toGuide = (row: GuideRow): GuideDto => ({
  id: row.id,
  task_id: row.task_id,
  project_id: row.project_id,
  created_date: row.created_date,
  updated_date: row.updated_date,
  markdown: row.markdown,
});

export const toWrittenGuide = (row: GuideRow): WrittenGuideDto => ({
  id: row.id,
  task_id: row.task_id,
  project_id: row.project_id,
  markdown: row.markdown,
});
