import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/index.js';
import { IssueController } from './issue.controller.js';
import { IssueCreation } from './issue.create.js';
import { IssueRepository } from './issue.repository.js';
import { IssueDeletion, IssueService } from './issue.service.js';

export { type NewComment, WritesFirstComment } from './issue.create.js';
export { type IssueFactsRow, readIssueFacts } from './issue.dto.js';
export { ISSUE_FACTS_COLUMNS, IssueRepository } from './issue.repository.js';
export { issueScope } from './issue.events.js';
export { IssueService } from './issue.service.js';

@Module({
  imports: [JobsModule],
  controllers: [IssueController],
  providers: [IssueCreation, IssueDeletion, IssueRepository, IssueService],
  exports: [IssueRepository, IssueService],
})
export class IssuesModule {}
