import { Controller, Get, Param, Post, Query, Req, Res, type Type } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { Db } from '../../../core/database/db.js';
import { Invalid } from '../../../core/http/errors/errors.js';
import { streamJson } from '../../../core/http/response/stream-json.js';
import { type Page, pageDto, parameter, type Query as ReadQuery } from '../../../core/list/page-request.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { ApiList } from '../../../core/list/api-list.decorator.js';
import type { Actor } from '../../../shared/policy/actor.js';
import type { Target } from '../annotated-task.repository.js';
import { LabeledDataDto } from '../annotation.dto.js';
import { lastSaveOf } from '../annotation-tables.js';
import { sendAnnotations } from '../annotation.controller.js';
import { AnnotationReader } from '../annotation.reader.js';
import { AnnotationService } from '../annotation.service.js';
import { HistoryService } from './history.service.js';
import { HISTORY_PARAMETERS, RevisionChangesDto, RevisionDto } from './revision.dto.js';
import { revisionList } from './revision.repository.js';

const LIST = ':id/annotations/revisions';
const ITEM = `${LIST}/:revision`;

/** The routes for the history of the annotations of jobs or tasks. */
function historyController(kind: Target['kind'], name: string): Type {
  @ApiTags(`${kind}s`)
  @Controller(`api/${kind}s`)
  class HistoryController {
    constructor(
      private readonly db: Db,
      private readonly reader: AnnotationReader,
      private readonly annotations: AnnotationService,
      private readonly history: HistoryService,
    ) {}

    @Get(LIST)
    @Scope(`${kind}:view:annotations`)
    @ApiOperation({ summary: `List the saves of the annotations of a ${kind}` })
    @ApiList(revisionList)
    @ApiOkResponse({ type: pageDto(RevisionDto) })
    async list(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() query: Record<string, unknown>,
    ): Promise<Page<RevisionDto>> {
      const target = { kind, id };
      await this.reader.require(actor, target, 'view:annotations');
      return this.history.list(actor, target, query);
    }

    @Get(ITEM)
    @Scope(`${kind}:view:annotations`)
    @ApiOperation({ summary: `Get a save of the annotations of a ${kind}` })
    @ApiOkResponse({ type: RevisionDto })
    async get(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Param('revision', IdPipe) revision: number,
    ): Promise<RevisionDto> {
      const target = { kind, id };
      await this.reader.require(actor, target, 'view:annotations');
      return this.history.get(actor, target, revision);
    }

    @Get(`${ITEM}/changes`)
    @Scope(`${kind}:view:annotations`)
    @ApiOperation({
      summary: `List what a save changed in the annotations of a ${kind}, or the differences between two saves`,
    })
    @ApiQuery(HISTORY_PARAMETERS.since)
    @ApiOkResponse({ type: RevisionChangesDto, description: 'Ids and frames' })
    async changes(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Param('revision', IdPipe) revision: number,
      @Query() query: Record<string, unknown>,
      @Res() response: Response,
    ): Promise<void> {
      const target = { kind, id };
      await this.reader.require(actor, target, 'view:annotations');
      const since = readSince(query);
      await streamJson(response, (write) => this.history.changes(target, revision, since, write));
    }

    @Get(`${ITEM}/annotations`)
    @Scope(`${kind}:view:annotations`)
    @ApiOperation({ summary: `Get an earlier state of the annotations of a ${kind}` })
    @ApiQuery(HISTORY_PARAMETERS.state)
    @ApiOkResponse({ type: LabeledDataDto, description: 'All annotations in that state' })
    async read(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Param('revision', IdPipe) revision: number,
      @Query() query: Record<string, unknown>,
      @Req() request: Request,
      @Res() response: Response,
    ): Promise<void> {
      const target = { kind, id };
      await this.reader.require(actor, target, 'view:annotations');
      const at = lastSaveOf({ revision, state: readState(query) });
      await this.history.find(this.db, target, revision);
      await sendAnnotations(this.reader, target, { at }, request, response);
    }

    @Post(`${ITEM}/restore`)
    @Scope(`${kind}:update:annotations`)
    @ApiOperation({
      summary: `Restore an earlier state of the annotations of a ${kind}`,
      description: 'Creates a new revision. Annotations whose labels have been deleted are left out.',
    })
    @ApiQuery(HISTORY_PARAMETERS.state)
    @ApiCreatedResponse({ type: RevisionDto, description: 'The new revision' })
    async restore(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Param('revision', IdPipe) revision: number,
      @Query() query: Record<string, unknown>,
      @Res({ passthrough: true }) response: Response,
    ): Promise<RevisionDto> {
      const target = { kind, id };
      await this.reader.require(actor, target, 'update:annotations');
      const restored = await this.annotations.restore(actor, target, { revision, state: readState(query) });
      response.setHeader('ETag', restored.etag);
      return this.history.get(actor, target, restored.revision);
    }
  }
  Object.defineProperty(HistoryController, 'name', { value: name });
  return HistoryController;
}

export const JobHistoryController = historyController('job', 'JobHistoryController');
export const TaskHistoryController = historyController('task', 'TaskHistoryController');

function readState(query: ReadQuery): 'before' | 'after' {
  const state = parameter(query, 'state');
  if (state === '' || state === 'after') return 'after';
  if (state === 'before') return state;
  throw new Invalid({ state: ['Must be before or after.'] });
}

function readSince(query: ReadQuery): number | null {
  const text = parameter(query, 'since');
  if (text === '') return null;
  if (!/^\d{1,15}$/.test(text)) throw new Invalid({ since: ['Must be the id of a revision.'] });
  return Number(text);
}
