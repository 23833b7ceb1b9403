import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';

export const SCOPE = 'cairn:scope';
export const READ_ONLY = 'cairn:read-only';
export const ACCESS_TOKENS = 'cairn:access-tokens';
export const PUBLIC = 'cairn:public';

/**
 * Declares the policy scope of a route (`task:update`), for the documentation and the guard. A route with neither a
 * scope nor `@Public()` is refused.
 */
export const Scope = (scope: string, accessTokens: AccessTokenUse = 'accepted'): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(SCOPE, scope),
    SetMetadata(ACCESS_TOKENS, accessTokens),
    ApiExtension('x-permission', scope),
    ...(accessTokens === 'required' ? [] : [ApiSecurity('token'), ApiSecurity('session'), ApiSecurity('basic')]),
    ...(accessTokens === 'accepted' || accessTokens === 'required' ? [ApiSecurity('bearer')] : []),
  );

/**
 * What a route does with access tokens, which programs have: it accepts them, refuses them (403), because they must not
 * give their holder a longer or wider access, does not know them (401), or knows nothing else (401).
 */
export type AccessTokenUse = 'accepted' | 'refused' | 'unknown' | 'required';

/** A route that changes something although its method is GET: tokens that may only be used for reading are refused. */
export const ExceptReadOnly = (): MethodDecorator => SetMetadata(READ_ONLY, 'refused');

/** A route that changes nothing that people work on although its method is POST, such as an export. */
export const AlsoReadOnly = (): MethodDecorator => SetMetadata(READ_ONLY, 'accepted');

/**
 * A route that needs no authentication. An invalid credential is still refused; anonymous callers are rate-limited per
 * IP address.
 */
export const Public = (options: { readonly throttled?: boolean } = {}): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(PUBLIC, { throttled: options.throttled ?? true }),
    ...(options.throttled === false ? [ApiExtension('x-unthrottled', true)] : []),
  );
