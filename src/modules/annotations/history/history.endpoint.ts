import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Db } from '../../../core/database/db.js';
import { Invalid } from '../../../core/http/errors.js';
import { streamJson } from '../../../core/http/stream-json.js';
import type { Page } from '../../../core/list/page.dto.js';
import { parameter, type Query } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import type { Target } from '../annotated-task.repository.js';
import { AnnotationEndpoint } from '../annotation.endpoint.js';
import { AnnotationService } from '../annotation.service.js';
import { HistoryService } from './history.service.js';
import { momentOf } from '../annotation-tables.js';
import type { RevisionDto } from './revision.dto.js';

/** What the routes of jobs and tasks have in common. */
@Injectable()
export class HistoryEndpoint {
  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(AnnotationService) private readonly annotations: AnnotationService,
    @Inject(AnnotationEndpoint) private readonly reads: AnnotationEndpoint,
    @Inject(HistoryService) private readonly history: HistoryService,
  ) {}

  async list(actor: Actor, target: Target, query: Query): Promise<Page<RevisionDto>> {
    await this.annotations.require(actor, target, 'view:annotations');
    return this.history.list(actor, target, query);
  }

  async get(actor: Actor, target: Target, id: number): Promise<RevisionDto> {
    await this.annotations.require(actor, target, 'view:annotations');
    return this.history.get(actor, target, id);
  }

  async changes(actor: Actor, target: Target, id: number, query: Query, response: Response): Promise<void> {
    await this.annotations.require(actor, target, 'view:annotations');
    const since = readSince(query);
    await streamJson(response, (write) => this.history.changes(target, id, since, write));
  }

  async read(
    actor: Actor,
    target: Target,
    id: number,
    query: Query,
    request: Request,
    response: Response,
  ): Promise<void> {
    await this.annotations.require(actor, target, 'view:annotations');
    const state = readState(query);
    await this.history.find(this.db, target, id);
    await this.reads.send(target, { at: momentOf({ revision: id, state }) }, request, response);
  }

  async restore(actor: Actor, target: Target, id: number, query: Query, response: Response): Promise<RevisionDto> {
    await this.annotations.require(actor, target, 'update:annotations');
    const { revision, etag } = await this.annotations.restore(actor, target, { revision: id, state: readState(query) });
    response.setHeader('ETag', etag);
    return this.history.get(actor, target, revision);
  }
}

function readState(query: Query): 'before' | 'after' {
  const state = parameter(query, 'state');
  if (state === '' || state === 'after') return 'after';
  if (state === 'before') return state;
  throw new Invalid({ state: ['Must be before or after.'] });
}

function readSince(query: Query): number | null {
  const text = parameter(query, 'since');
  if (text === '') return null;
  if (!/^\d{1,15}$/.test(text)) throw new Invalid({ since: ['Must be the id of a revision.'] });
  return Number(text);
}
