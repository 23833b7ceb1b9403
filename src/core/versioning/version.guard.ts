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
import { ApiError } from '../http/errors/errors.js';
import { type ApiVersion, DEFAULT_VERSION, type Negotiated, negotiate } from './accept.js';

const UNVERSIONED = 'cairn:unversioned';

/** For routes outside the versioned API (documents, health): any `Accept` is allowed. */
export const Unversioned = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(UNVERSIONED, true), ApiExtension('x-unversioned', true));

const negotiated = new WeakMap<Request, Negotiated>();

/** The version that the guard selected for this request. */
export const versionOf = (request: Request): Negotiated =>
  negotiated.get(request) ?? { version: DEFAULT_VERSION, contentType: 'application/vnd.cvat+json' };

/** Parameter decorator: the version of the response, for lists that are shorter in older versions. */
export const SpokenVersion = createParamDecorator(
  (_: unknown, context: ExecutionContext): ApiVersion =>
    versionOf(context.switchToHttp().getRequest<Request>()).version,
);

/** Selects the version, or refuses the request with 406. @throws ApiError */
export function chooseVersion(request: Request): void {
  const result = negotiate(request.headers.accept);
  if (result === 'unknown version') throw new ApiError(406, { detail: 'Invalid version in "Accept" header.' });
  if (result === 'not acceptable') throw new ApiError(406, { detail: 'Could not satisfy the request Accept header.' });
  negotiated.set(request, result);
}

/** First guard: an unsupported version is refused before authentication. */
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
