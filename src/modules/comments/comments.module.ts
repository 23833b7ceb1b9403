import { Module } from '@nestjs/common';
import { IssuesModule } from '../issues/index.js';
import { CommentController } from './comment.controller.js';
import { CommentQueries } from './comment.queries.js';
import { CommentRepository } from './comment.repository.js';
import { CommentService } from './comment.service.js';

@Module({
  imports: [IssuesModule],
  controllers: [CommentController],
  providers: [CommentQueries, CommentRepository, CommentService],
})
export class CommentsModule {}
