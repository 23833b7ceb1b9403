import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ReadJson } from '../../core/http/body.js';
import { namesEtag } from '../../core/http/etag.js';
import { streamJson } from '../../core/http/stream-json.js';
import type { Actor } from '../../shared/policy/actor.js';
import type { Target } from './annotated-task.repository.js';
import { type AnnotationView, readAction, readView, refuseExport, refuseImportStatus } from './annotation.query.js';
import { AnnotationService } from './annotation.service.js';

type Query = Readonly<Record<string, unknown>>;

/** What the routes of jobs and tasks have in common. Whoever may not do a thing is told so before what is wrong. */
@Injectable()
export class AnnotationEndpoint {
  constructor(@Inject(AnnotationService) private readonly annotations: AnnotationService) {}

  async read(actor: Actor, target: Target, query: Query, request: Request, response: Response): Promise<void> {
    await this.annotations.require(actor, target, 'view:annotations');
    refuseExport(query, target);
    await this.send(target, readView(query), request, response);
  }

  /** Annotations as JSON, unless the client has them already. The caller has checked the permission. */
  async send(target: Target, view: AnnotationView, request: Request, response: Response): Promise<void> {
    const known = (etag: string): boolean => {
      response.setHeader('ETag', etag);
      const header = request.headers['if-none-match'];
      if (header === undefined || !namesEtag(header, etag)) return false;
      response.status(304).end();
      return true;
    };
    await streamJson(response, (write) => this.annotations.read(target, view, known, write));
  }

  async replace(actor: Actor, target: Target, query: Query, body: ReadJson, response: Response): Promise<void> {
    await this.annotations.require(actor, target, 'update:annotations');
    refuseImportStatus(query);
    await answer(response, await this.annotations.save(actor, target, 'replace', await body()));
  }

  async change(actor: Actor, target: Target, query: Query, body: ReadJson, response: Response): Promise<void> {
    await this.annotations.require(actor, target, 'update:annotations');
    await answer(response, await this.annotations.save(actor, target, readAction(query), await body()));
  }

  async clear(actor: Actor, target: Target, response: Response): Promise<void> {
    await this.annotations.require(actor, target, 'update:annotations');
    response.setHeader('ETag', await this.annotations.clear(actor, target));
  }
}

const answer = (
  response: Response,
  saved: { readonly answer: Iterable<string>; readonly etag: string },
): Promise<void> =>
  streamJson(response, async (write) => {
    response.setHeader('ETag', saved.etag);
    for (const chunk of saved.answer) await write(chunk);
  });
