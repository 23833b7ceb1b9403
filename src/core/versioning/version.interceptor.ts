import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import { Db } from '../database/db.js';
import { API_VERSIONS, type ApiVersion } from './accept.js';
import { Representations, type WireObject } from './representations.js';
import { versionOf } from './version.guard.js';

const RESOURCE = 'cairn:resource';

/** The resource in a route's response: one object, or a page of them. Required if versions differ. */
export const Answers = (resource: string): MethodDecorator =>
  applyDecorators(SetMetadata(RESOURCE, resource), ApiExtension('x-answers', resource));

const DEPRECATED_SINCE = 'cairn:deprecated-since';

/** Marks a route that newer versions replace. Responses in these versions have a deprecation header. */
export const DeprecatedSince = (version: ApiVersion): MethodDecorator => SetMetadata(DEPRECATED_SINCE, version);

/** Documents the responses of a controller or route in older versions: `current` becomes `older[version]`. */
export const OlderForms = (
  current: Type,
  older: Partial<Readonly<Record<ApiVersion, Type>>>,
): ClassDecorator & MethodDecorator =>
  applyDecorators(
    ApiExtraModels(...Object.values(older)),
    ApiExtension('x-older-forms', {
      current: getSchemaPath(current),
      older: Object.fromEntries(Object.entries(older).map(([version, type]) => [version, getSchemaPath(type)])),
    }),
  );

/** Renders responses in the version that the guard selected. */
@Injectable()
export class VersionInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly representations: Representations,
    private readonly db: Db,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { version, contentType } = versionOf(http.getRequest<Request>());
    const response = http.getResponse<Response>();
    if (!response.headersSent) response.setHeader('Content-Type', contentType);
    const since = this.reflector.get<ApiVersion | undefined>(DEPRECATED_SINCE, context.getHandler());
    if (since !== undefined && API_VERSIONS.indexOf(version) >= API_VERSIONS.indexOf(since)) {
      response.setHeader('Deprecation', 'true');
    }
    const resource = this.reflector.get<string | undefined>(RESOURCE, context.getHandler());
    if (resource === undefined || this.representations.olderForm(resource, version) === undefined) return next.handle();
    return next.handle().pipe(
      mergeMap(async (body: WireObject) => {
        const results = body['results'];
        if (!Array.isArray(results))
          return (await this.representations.renderAll(resource, version, [body], this.db))[0];
        return {
          ...body,
          results: await this.representations.renderAll(resource, version, results as WireObject[], this.db),
        };
      }),
    );
  }
}
