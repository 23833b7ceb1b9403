import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiError } from '../http/errors/errors.js';
import { API_VERSIONS, type ApiVersion, DEFAULT_VERSION, type Negotiated, negotiate } from './accept.js';

const UNVERSIONED = 'cairn:unversioned';

/** For routes outside the versioned API (documents, health): any `Accept` is allowed. */
export const Unversioned = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(UNVERSIONED, true), ApiExtension('x-unversioned', true));

const RESOURCE = 'cairn:resource';

/** The resource in a route's response: one object, or a page of them. Required if versions differ. */
export const RespondsWith = (resource: string): MethodDecorator =>
  applyDecorators(SetMetadata(RESOURCE, resource), ApiExtension('x-resource', resource));

const DEPRECATED_SINCE = 'cairn:deprecated-since';

/** Marks a route that newer versions replace. Responses in these versions have a deprecation header. */
export const DeprecatedSince = (version: ApiVersion): MethodDecorator => SetMetadata(DEPRECATED_SINCE, version);

/** Documents the responses of a controller or route in older versions: `current` becomes `older[version]`. */
export const OlderRepresentations = (
  current: Type,
  older: Partial<Readonly<Record<ApiVersion, Type>>>,
): ClassDecorator & MethodDecorator =>
  applyDecorators(
    ApiExtraModels(...Object.values(older)),
    ApiExtension('x-older-representations', {
      current: getSchemaPath(current),
      older: Object.fromEntries(Object.entries(older).map(([version, type]) => [version, getSchemaPath(type)])),
    }),
  );

const negotiated = new WeakMap<Request, Negotiated>();
const resources = new WeakMap<Request, string>();

/** The version that the guard selected for this request. */
export const versionOf = (request: Request): Negotiated =>
  negotiated.get(request) ?? { version: DEFAULT_VERSION, contentType: 'application/vnd.cvat+json' };

/** The resource in the response of this request's route, if versions differ. */
export const resourceOf = (request: Request): string | undefined => resources.get(request);

/** Parameter decorator: the version of the response, for lists that are shorter in older versions. */
export const RequestedVersion = createParamDecorator(
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

/**
 * First guard: an unsupported version is refused before authentication. It sets the headers of the version, and notes the
 * resource of the route for `RequestedVersion`.
 */
@Injectable()
export class VersionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const unversioned = this.reflector.getAllAndOverride<true | undefined>(UNVERSIONED, [handler, context.getClass()]);
    if (unversioned === undefined) chooseVersion(request);
    const { version, contentType } = versionOf(request);
    response.setHeader('Content-Type', contentType);
    const since = this.reflector.get<ApiVersion | undefined>(DEPRECATED_SINCE, handler);
    if (since !== undefined && API_VERSIONS.indexOf(version) >= API_VERSIONS.indexOf(since)) {
      response.setHeader('Deprecation', 'true');
    }
    const resource = this.reflector.get<string | undefined>(RESOURCE, handler);
    if (resource !== undefined) resources.set(request, resource);
    return true;
  }
}
