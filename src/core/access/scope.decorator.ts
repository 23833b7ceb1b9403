import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';

export const SCOPE = 'cairn:scope';
export const EXCEPT_READ_ONLY = 'cairn:except-read-only';
export const PUBLIC = 'cairn:public';

/**
 * Declares the policy scope of a route (`task:update`), for the documentation and the guard. A route with neither a
 * scope nor `@Public()` is refused.
 */
export const Scope = (scope: string): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(SCOPE, scope),
    ApiExtension('x-permission', scope),
    ApiSecurity('token'),
    ApiSecurity('session'),
    ApiSecurity('basic'),
    ApiSecurity('bearer'),
  );

/** A route that changes something although its method is GET: tokens that may only be used for reading are refused. */
export const ExceptReadOnly = (): MethodDecorator => SetMetadata(EXCEPT_READ_ONLY, true);

/**
 * A route that needs no authentication. An invalid credential is still refused; anonymous callers are rate-limited per
 * IP address.
 */
export const Public = (options: { readonly throttled?: boolean } = {}): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(PUBLIC, { throttled: options.throttled ?? true }),
    ...(options.throttled === false ? [ApiExtension('x-unthrottled', true)] : []),
  );
