import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/index.js';
import { IssueController } from './issue.controller.js';
import { IssueCreation } from './issue.create.js';
import { IssueRepository } from './issue.repository.js';
import { IssueService } from './issue.service.js';

@Module({
  imports: [JobsModule],
  controllers: [IssueController],
  providers: [IssueCreation, IssueRepository, IssueService],
  exports: [IssueRepository],
})
export class IssuesModule {}
