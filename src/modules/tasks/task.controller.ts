import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { IdPipe } from '../../core/http/request/ids.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page-request.js';
import { OlderRepresentations, RespondsWith } from '../../core/versioning/version.guard.js';
import type { Actor } from '../../shared/policy/actor.js';
import { TaskCreation } from './task.create.js';
import { TaskDeletion } from './task.delete.js';
import { CreateTaskDto, TaskDto, UpdateTaskDto } from './task.dto.js';
import { taskList } from './task.list.js';
import { TaskService } from './task.service.js';
import { TaskUpdate } from './task.update.js';
import { Task20Dto } from './task.versions.js';

@ApiTags('tasks')
@OlderRepresentations(TaskDto, { '2.0': Task20Dto })
@Controller('api/tasks')
export class TaskController {
  constructor(
    private readonly tasks: TaskService,
    private readonly creation: TaskCreation,
    private readonly changes: TaskUpdate,
    private readonly deletion: TaskDeletion,
  ) {}

  @Get()
  @Scope('task:list')
  @RespondsWith('task')
  @ApiList(taskList)
  @ApiOkResponse({ type: pageDto(TaskDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<TaskDto>> {
    return this.tasks.list(actor, query);
  }

  @Post()
  @Scope('task:create')
  @RespondsWith('task')
  @ApiCreatedResponse({ type: TaskDto })
  async create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateTaskDto) body: Unvalidated<CreateTaskDto>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TaskDto> {
    const task = await this.creation.create(actor, body);
    response.setHeader('Location', task.url);
    return task;
  }

  @Get(':id')
  @Scope('task:view')
  @RespondsWith('task')
  @ApiOkResponse({ type: TaskDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<TaskDto> {
    return this.tasks.get(actor, id);
  }

  @Patch(':id')
  @Scope('task:update')
  @RespondsWith('task')
  @ApiOkResponse({ type: TaskDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateTaskDto) body: Unvalidated<UpdateTaskDto>,
  ): Promise<TaskDto> {
    return this.changes.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('task:delete')
  @ApiNoContentResponse({ description: 'Deleted, with its jobs, annotations and files' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.deletion.delete(actor, id);
  }
}
