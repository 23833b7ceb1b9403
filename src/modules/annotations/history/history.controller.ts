import { Controller, Get, Inject, Param, Post, Query, Req, Res, type Type } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { IdPipe } from '../../../core/http/id.pipe.js';
import { ApiList } from '../../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../../core/list/page.dto.js';
import type { Actor } from '../../../shared/policy/actor.js';
import type { Target } from '../annotated-task.repository.js';
import { LabeledDataDto } from '../annotation.dto.js';
import { HistoryEndpoint } from './history.endpoint.js';
import { HISTORY_PARAMETERS, RevisionChangesDto, RevisionDto } from './revision.dto.js';
import { revisionList } from './revision.repository.js';

const LIST = ':id/annotations/revisions';
const ITEM = `${LIST}/:revision`;

/** The routes of the earlier states of annotations, below jobs or tasks. */
function historyController(kind: Target['kind'], name: string): Type {
  @ApiTags(`${kind}s`)
  @Controller(`api/${kind}s`)
  class HistoryController {
    constructor(@Inject(HistoryEndpoint) private readonly endpoint: HistoryEndpoint) {}

    @Get(LIST)
    @Scope(`${kind}:view:annotations`)
    @ApiOperation({ summary: `Saves of the annotations of a ${kind}` })
    @ApiList(revisionList)
    @ApiOkResponse({ type: pageDto(RevisionDto) })
    list(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() query: Record<string, unknown>,
    ): Promise<Page<RevisionDto>> {
      return this.endpoint.list(actor, { kind, id }, query);
    }

    @Get(ITEM)
    @Scope(`${kind}:view:annotations`)
    @ApiOperation({ summary: `A save of the annotations of a ${kind}` })
    @ApiOkResponse({ type: RevisionDto })
    get(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Param('revision', IdPipe) revision: number,
    ): Promise<RevisionDto> {
      return this.endpoint.get(actor, { kind, id }, revision);
    }

    @Get(`${ITEM}/changes`)
    @Scope(`${kind}:view:annotations`)
    @ApiOperation({ summary: `What a save changed in the annotations of a ${kind}, or what differs between two saves` })
    @ApiQuery(HISTORY_PARAMETERS.since)
    @ApiOkResponse({ type: RevisionChangesDto, description: 'Ids and frames' })
    changes(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Param('revision', IdPipe) revision: number,
      @Query() query: Record<string, unknown>,
      @Res() response: Response,
    ): Promise<void> {
      return this.endpoint.changes(actor, { kind, id }, revision, query, response);
    }

    @Get(`${ITEM}/annotations`)
    @Scope(`${kind}:view:annotations`)
    @ApiOperation({ summary: `The annotations of a ${kind} as they were` })
    @ApiQuery(HISTORY_PARAMETERS.state)
    @ApiOkResponse({ type: LabeledDataDto, description: 'All annotations of that moment' })
    read(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Param('revision', IdPipe) revision: number,
      @Query() query: Record<string, unknown>,
      @Req() request: Request,
      @Res() response: Response,
    ): Promise<void> {
      return this.endpoint.read(actor, { kind, id }, revision, query, request, response);
    }

    @Post(`${ITEM}/restore`)
    @Scope(`${kind}:update:annotations`)
    @ApiOperation({
      summary: `Bring back the annotations of a ${kind} as they were`,
      description: 'A save like others, with a revision of its own. What had labels that are deleted is left out.',
    })
    @ApiQuery(HISTORY_PARAMETERS.state)
    @ApiCreatedResponse({ type: RevisionDto, description: 'The new revision' })
    restore(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Param('revision', IdPipe) revision: number,
      @Query() query: Record<string, unknown>,
      @Res({ passthrough: true }) response: Response,
    ): Promise<RevisionDto> {
      return this.endpoint.restore(actor, { kind, id }, revision, query, response);
    }
  }
  Object.defineProperty(HistoryController, 'name', { value: name });
  return HistoryController;
}

export const JobHistoryController = historyController('job', 'JobHistoryController');
export const TaskHistoryController = historyController('task', 'TaskHistoryController');
