export { WritesFirstComment } from './issue.create.js';
export { type IssueFactsRow, readIssueFacts } from './issue.mapper.js';
export { ISSUE_FACTS_COLUMNS, IssueRepository } from './issue.repository.js';
export { IssuesModule } from './issues.module.js';
export { issueScope } from './issue.events.js';
