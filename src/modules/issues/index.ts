export { WritesFirstComment } from './first-comment.js';
export { type IssueFactsRow, placeOf, readIssueFacts } from './issue.mapper.js';
export { ISSUE_FACTS_COLUMNS, IssueRepository } from './issue.repository.js';
export { parentId } from './parent-id.js';
export { IssuesModule } from './issues.module.js';
