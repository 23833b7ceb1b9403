import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { IdPipe } from '../../core/http/request/ids.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page-request.js';
import type { Actor } from '../../shared/policy/actor.js';
import { CommentDto, CreateCommentDto, UpdateCommentDto } from './comment.dto.js';
import { commentList } from './comment.repository.js';
import { CommentService } from './comment.service.js';

@ApiTags('comments')
@Controller('api/comments')
export class CommentController {
  constructor(private readonly comments: CommentService) {}

  @Get()
  @Scope('comment:list')
  @ApiList(commentList)
  @ApiOkResponse({ type: pageDto(CommentDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<CommentDto>> {
    return this.comments.list(actor, query);
  }

  @Post()
  @Scope('comment:create')
  @ApiCreatedResponse({ type: CommentDto })
  create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateCommentDto) body: Unvalidated<CreateCommentDto>,
  ): Promise<CommentDto> {
    return this.comments.create(actor, body);
  }

  @Get(':id')
  @Scope('comment:view')
  @ApiOkResponse({ type: CommentDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<CommentDto> {
    return this.comments.get(actor, id);
  }

  @Patch(':id')
  @Scope('comment:update')
  @ApiOkResponse({ type: CommentDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateCommentDto) body: Unvalidated<UpdateCommentDto>,
  ): Promise<CommentDto> {
    return this.comments.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('comment:delete')
  @ApiNoContentResponse({ description: 'Deleted' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.comments.delete(actor, id);
  }
}
