import { Module } from '@nestjs/common';
import { IssuesModule } from '../issues/index.js';
import './comment.events.js';
import { CommentController } from './comment.controller.js';
import { CommentRepository } from './comment.repository.js';
import { CommentService } from './comment.service.js';

@Module({
  imports: [IssuesModule],
  controllers: [CommentController],
  providers: [CommentRepository, CommentService],
})
export class CommentsModule {}
