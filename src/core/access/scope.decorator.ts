import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';

export const SCOPE = 'cairn:scope';
export const PUBLIC = 'cairn:public';

/**
 * Names what a route does in the words of the policy (`task:update`), for the documentation and the guard. A route with
 * neither a scope nor `@Public()` is refused.
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

/** A route for everyone. A wrong credential is refused all the same; callers without one are counted per address. */
export const Public = (options: { readonly throttled?: boolean } = {}): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(PUBLIC, { throttled: options.throttled ?? true }),
    ...(options.throttled === false ? [ApiExtension('x-unthrottled', true)] : []),
  );
