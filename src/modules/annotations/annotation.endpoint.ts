import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { streamJson } from '../../core/http/stream-json.js';
import type { Actor } from '../../policy/actor.js';
import type { Target } from './annotated-task.repository.js';
import { readAction, refuseExport, refuseImportStatus } from './annotation.query.js';
import { AnnotationService } from './annotation.service.js';

type Query = Readonly<Record<string, unknown>>;

/** What the routes of jobs and tasks have in common. Whoever may not do a thing is told so before what is wrong. */
@Injectable()
export class AnnotationEndpoint {
  constructor(@Inject(AnnotationService) private readonly annotations: AnnotationService) {}

  async read(actor: Actor, target: Target, query: Query, response: Response): Promise<void> {
    await this.annotations.require(actor, target, 'view:annotations');
    refuseExport(query, target);
    await streamJson(response, (write) => this.annotations.read(target, write));
  }

  async replace(actor: Actor, target: Target, query: Query, body: unknown, response: Response): Promise<void> {
    await this.annotations.require(actor, target, 'update:annotations');
    refuseImportStatus(query);
    await answer(response, await this.annotations.save(actor, target, 'replace', body));
  }

  async change(actor: Actor, target: Target, query: Query, body: unknown, response: Response): Promise<void> {
    await this.annotations.require(actor, target, 'update:annotations');
    await answer(response, await this.annotations.save(actor, target, readAction(query), body));
  }

  async clear(actor: Actor, target: Target): Promise<void> {
    await this.annotations.require(actor, target, 'update:annotations');
    await this.annotations.clear(actor, target);
  }
}

const answer = (response: Response, chunks: Iterable<string>): Promise<void> =>
  streamJson(response, async (write) => {
    for (const chunk of chunks) await write(chunk);
  });
