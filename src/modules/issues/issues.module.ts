import { Module } from '@nestjs/common';
import { declareEvents } from '../../core/outbox/event-catalogue.js';
import { JobsModule } from '../jobs/index.js';
import { IssueController } from './issue.controller.js';
import { IssueCreation } from './issue.create.js';
import { IssueDto } from './issue.dto.js';
import { IssueRepository } from './issue.repository.js';
import { IssueService } from './issue.service.js';

declareEvents({
  resource: 'issue',
  object: IssueDto,
  operations: {
    create: 'An issue is opened; its first comment is told of after it',
    update: 'An issue is changed, resolved or reopened',
    delete: 'An issue is deleted, also with its job, task or project; its comments are told of before',
  },
});

@Module({
  imports: [JobsModule],
  controllers: [IssueController],
  providers: [IssueCreation, IssueRepository, IssueService],
  exports: [IssueRepository],
})
export class IssuesModule {}
