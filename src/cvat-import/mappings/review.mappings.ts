import { readNumbers } from '../array-text.js';
import type { Mapping } from '../mapping.js';

const issue: Mapping = {
  model: 'engine.issue',
  stage: 'issue',
  map: (record, { people }) => [
    {
      id: record.id,
      job_id: record.integer('job'),
      frame: record.integer('frame'),
      position: readNumbers(record, 'position'),
      owner_id: people.userIdOrNull(record, 'owner'),
      assignee_id: people.userIdOrNull(record, 'assignee'),
      resolved: record.boolean('resolved'),
      created_date: record.dateOrNull('created_date'),
      updated_date: record.dateOrNull('updated_date'),
    },
  ],
};

const comment: Mapping = {
  model: 'engine.comment',
  stage: 'comment',
  map: (record, { people }) => [
    {
      id: record.id,
      issue_id: record.integer('issue'),
      owner_id: people.userIdOrNull(record, 'owner'),
      message: record.text('message', ''),
      created_date: record.date('created_date'),
      updated_date: record.date('updated_date'),
    },
  ],
};

const guide: Mapping = {
  model: 'engine.annotationguide',
  stage: 'guide',
  map: (record) => [
    {
      id: record.id,
      task_id: record.integerOrNull('task'),
      project_id: record.integerOrNull('project'),
      markdown: record.text('markdown', ''),
      is_public: record.boolean('is_public', false),
      created_date: record.date('created_date'),
      updated_date: record.date('updated_date'),
    },
  ],
};

export const reviewMappings: readonly Mapping[] = [issue, comment, guide];
