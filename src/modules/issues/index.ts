export { WritesFirstComment } from './issue.create.js';
export { type IssueFactsRow, readIssueFacts, scopeOf } from './issue.mapper.js';
export { ISSUE_FACTS_COLUMNS, IssueRepository } from './issue.repository.js';
export { IssuesModule } from './issues.module.js';
