import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body.js';
import { IdPipe } from '../../core/http/id.pipe.js';
import { Urls } from '../../core/http/urls.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { listOrganization } from '../../core/list/list-organization.js';
import { ListService } from '../../core/list/list.service.js';
import { type Page, pageDto } from '../../core/list/page.dto.js';
import { Answers, OlderForms } from '../../core/versioning/version.interceptor.js';
import type { Actor } from '../../policy/actor.js';
import { taskPolicy } from '../../policy/task.policy.js';
import { TaskCreation } from './task.create.js';
import { CreateTaskDto, TaskDto, UpdateTaskDto } from './task.dto.js';
import { taskList } from './task.list.js';
import { type TaskRow, toTask } from './task.mapper.js';
import { TASK_COLUMNS } from './task.repository.js';
import { TaskService } from './task.service.js';
import { Task20Dto } from './task.v20.dto.js';

@ApiTags('tasks')
@OlderForms(TaskDto, { '2.0': Task20Dto })
@Controller('api/tasks')
export class TaskController {
  constructor(
    @Inject(TaskService) private readonly tasks: TaskService,
    @Inject(TaskCreation) private readonly creation: TaskCreation,
    @Inject(ListService) private readonly lists: ListService,
  ) {}

  @Get()
  @Scope('task:list')
  @Answers('task')
  @ApiList(taskList)
  @ApiOkResponse({ type: pageDto(TaskDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<TaskDto>> {
    const urls = new Urls(actor.baseUrl);
    const visible = taskPolicy.visible(actor);
    const url = `${actor.baseUrl}/api/tasks`;
    const options = { select: TASK_COLUMNS, visible, organization: listOrganization(actor), query, url };
    return this.lists.page<TaskRow, TaskDto>(taskList, options, (row) => toTask(row, urls));
  }

  @Post()
  @Scope('task:create')
  @Answers('task')
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
  @Answers('task')
  @ApiOkResponse({ type: TaskDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<TaskDto> {
    return this.tasks.get(actor, id);
  }

  @Patch(':id')
  @Scope('task:update')
  @Answers('task')
  @ApiOkResponse({ type: TaskDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateTaskDto) body: Unvalidated<UpdateTaskDto>,
  ): Promise<TaskDto> {
    return this.tasks.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('task:delete')
  @ApiNoContentResponse({ description: 'Gone, with its jobs, annotations and files' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.tasks.delete(actor, id);
  }
}
