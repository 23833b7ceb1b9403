import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/index.js';
import { FirstComment } from './first-comment.js';
import { IssueController } from './issue.controller.js';
import { IssueQueries } from './issue.queries.js';
import { IssueRepository } from './issue.repository.js';
import { IssueService } from './issue.service.js';

@Module({
  imports: [JobsModule],
  controllers: [IssueController],
  providers: [FirstComment, IssueQueries, IssueRepository, IssueService],
  exports: [FirstComment, IssueRepository],
})
export class IssuesModule {}
