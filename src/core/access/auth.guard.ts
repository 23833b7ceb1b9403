import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { Actor, OrganizationContext } from '../../shared/policy/actor.js';
import { CONFIG, type Config } from '../../config/config.js';
import { Forbidden, Throttled, Unauthenticated } from '../http/errors/errors.js';
import { baseUrlOf } from '../http/request/base-url.js';
import { type Credential, identify, identityOf } from './current-actor.decorator.js';
import { OrganizationContextReader } from './organization-context.js';
import { ACCESS_TOKENS, type AccessTokenUse, PUBLIC, READ_ONLY, SCOPE } from './scope.decorator.js';
import { type Limit, Throttles } from './throttles.js';

/** An authenticated account, before the organization context of the request is read. */
export interface Authenticated {
  readonly user: Omit<Actor, 'context' | 'baseUrl'>;
  readonly credential: Credential;
}

/** Authenticates requests. Implemented by the auth module. */
export interface Authenticator {
  /**
   * @returns null when the request has no credential
   * @throws Unauthenticated for an invalid one, Forbidden for a missing CSRF token
   */
  authenticate(request: Request, response: Response): Promise<Authenticated | null>;
  /** Whether the credential of the request (token, session or password) is still valid. For long responses. */
  isStillValid(request: Request): Promise<boolean>;
}

export const AUTHENTICATOR = Symbol('Authenticator');

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Second guard: authenticates the request and reads its organization. Services check permissions with the policy. */
@Injectable()
export class AuthGuard implements CanActivate {
  private readonly anonymous: Limit;

  constructor(
    private readonly reflector: Reflector,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    private readonly organizations: OrganizationContextReader,
    @Inject(CONFIG) private readonly config: Config,
    private readonly throttles: Throttles,
  ) {
    this.anonymous = { name: 'anonymous requests', most: config.limits.anonymousPerMinute, windowMs: 60_000 };
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    const open = this.reflector.getAllAndOverride<{ throttled: boolean } | undefined>(PUBLIC, targets);
    const scope = this.reflector.getAllAndOverride<string | undefined>(SCOPE, targets);
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const known = await this.enter(request, http.getResponse<Response>(), scope !== undefined);
    this.requireUsable(request, targets);
    if (known) return open !== undefined || scope !== undefined;
    if (open === undefined) throw new Unauthenticated();
    if (open.throttled) {
      const seconds = await this.throttles.hit(this.anonymous, request.ip ?? '');
      if (seconds > 0) throw new Throttled(seconds);
    }
    return true;
  }

  /** @throws Unauthenticated, Forbidden for an access token that cannot be used for this request */
  private requireUsable(request: Request, targets: Parameters<Reflector['getAllAndOverride']>[1]): void {
    const credential = identityOf(request)?.credential;
    const use = this.reflector.getAllAndOverride<AccessTokenUse | undefined>(ACCESS_TOKENS, targets) ?? 'accepted';
    const isAccessToken = credential?.kind === 'bearer';
    if (use === 'required' && !isAccessToken) throw new Unauthenticated();
    if (!isAccessToken) return;
    if (use === 'unknown') throw new Unauthenticated();
    if (use === 'refused') throw new Forbidden();
    const reading = this.reflector.getAllAndOverride<'accepted' | 'refused' | undefined>(READ_ONLY, targets);
    const isReading = reading === undefined ? SAFE.has(request.method) : reading === 'accepted';
    if (credential.readOnly && !isReading) throw new Forbidden();
  }

  /**
   * Authenticates a request and stores the actor. Routes without a scope do not act in an organization, so the one that
   * the request names is ignored.
   * @returns false for an anonymous request
   */
  async enter(request: Request, response: Response, inOrganization = true): Promise<boolean> {
    const found = await this.authenticator.authenticate(request, response);
    if (found === null) return false;
    const context: OrganizationContext = inOrganization
      ? await this.organizations.read(request, found.user.id)
      : { kind: 'any' };
    const baseUrl = baseUrlOf(request, this.config.publicUrl);
    identify(request, { actor: { ...found.user, context, baseUrl }, credential: found.credential });
    return true;
  }
}
