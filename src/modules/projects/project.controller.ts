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
import { CreateProjectDto, ProjectDto, UpdateProjectDto } from './project.dto.js';
import { ProjectCreation } from './project.create.js';
import { ProjectDeletion } from './project.delete.js';
import { projectList } from './project.repository.js';
import { ProjectService } from './project.service.js';
import { ProjectUpdate } from './project.update.js';
import { Project20Dto } from './project.versions.js';

@ApiTags('projects')
@OlderRepresentations(ProjectDto, { '2.0': Project20Dto })
@Controller('api/projects')
export class ProjectController {
  constructor(
    private readonly projects: ProjectService,
    private readonly creation: ProjectCreation,
    private readonly changes: ProjectUpdate,
    private readonly deletion: ProjectDeletion,
  ) {}

  @Get()
  @Scope('project:list')
  @RespondsWith('project')
  @ApiList(projectList)
  @ApiOkResponse({ type: pageDto(ProjectDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<ProjectDto>> {
    return this.projects.list(actor, query);
  }

  @Post()
  @Scope('project:create')
  @RespondsWith('project')
  @ApiCreatedResponse({ type: ProjectDto })
  async create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateProjectDto) body: Unvalidated<CreateProjectDto>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ProjectDto> {
    const project = await this.creation.create(actor, body);
    response.setHeader('Location', project.url);
    return project;
  }

  @Get(':id')
  @Scope('project:view')
  @RespondsWith('project')
  @ApiOkResponse({ type: ProjectDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<ProjectDto> {
    return this.projects.get(actor, id);
  }

  @Patch(':id')
  @Scope('project:update')
  @RespondsWith('project')
  @ApiOkResponse({ type: ProjectDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateProjectDto) body: Unvalidated<UpdateProjectDto>,
  ): Promise<ProjectDto> {
    return this.changes.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('project:delete')
  @ApiNoContentResponse({ description: 'Deleted, with its tasks' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.deletion.delete(actor, id);
  }
}
