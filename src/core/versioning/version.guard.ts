import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiError } from '../http/errors.js';
import { type ApiVersion, DEFAULT_VERSION, type Negotiated, negotiate } from './accept.js';

const UNVERSIONED = 'cairn:unversioned';

/** For routes that are not part of the versioned API (documents, health): any `Accept` will do. */
export const Unversioned = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(UNVERSIONED, true), ApiExtension('x-unversioned', true));

const negotiated = new WeakMap<Request, Negotiated>();

/** What the guard chose for this request. */
export const versionOf = (request: Request): Negotiated =>
  negotiated.get(request) ?? { version: DEFAULT_VERSION, contentType: 'application/vnd.cvat+json' };

/** Parameter: the version of the answer, to be passed on to a list of which older versions show a part. */
export const SpokenVersion = createParamDecorator(
  (_: unknown, context: ExecutionContext): ApiVersion =>
    versionOf(context.switchToHttp().getRequest<Request>()).version,
);

/** Chooses the version or refuses with 406. @throws ApiError */
export function chooseVersion(request: Request): void {
  const result = negotiate(request.headers.accept);
  if (result === 'unknown version') throw new ApiError(406, { detail: 'Invalid version in "Accept" header.' });
  if (result === 'not acceptable') throw new ApiError(406, { detail: 'Could not satisfy the request Accept header.' });
  negotiated.set(request, result);
}

/** First guard: a version that is not served is refused before anybody is asked who they are. */
@Injectable()
export class VersionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const unversioned = this.reflector.getAllAndOverride<true | undefined>(UNVERSIONED, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (unversioned === undefined) chooseVersion(context.switchToHttp().getRequest<Request>());
    return true;
  }
}
