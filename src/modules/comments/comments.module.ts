import { Module } from '@nestjs/common';
import { declareEvents } from '../../core/outbox/event-catalogue.js';
import { IssuesModule } from '../issues/index.js';
import { CommentController } from './comment.controller.js';
import { CommentDto } from './comment.dto.js';
import { CommentRepository } from './comment.repository.js';
import { CommentService } from './comment.service.js';

declareEvents({
  resource: 'comment',
  object: CommentDto,
  operations: {
    create: 'A comment is written',
    update: 'A comment is changed',
    delete: 'A comment is deleted, also with its issue, job, task or project',
  },
});

@Module({
  imports: [IssuesModule],
  controllers: [CommentController],
  providers: [CommentRepository, CommentService],
})
export class CommentsModule {}
