import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Actor } from '../../shared/policy/actor.js';
import { Unauthenticated } from '../http/errors/errors.js';

/** How a request was authenticated. */
export interface Credential {
  readonly kind: 'session' | 'token' | 'basic' | 'bearer' | 'signature';
  /** Row id or key of the credential, if it has one. */
  readonly id: string | number | null;
  /** The name of an access token. */
  readonly name?: string;
  /** Whether the token is read-only. */
  readonly readOnly: boolean;
}

interface Identity {
  readonly actor: Actor;
  readonly credential: Credential;
}

const identities = new WeakMap<Request, Identity>();

/** Stores the actor for the decorators below. */
export function identify(request: Request, identity: Identity): void {
  identities.set(request, identity);
}

export const identityOf = (request: Request): Identity | undefined => identities.get(request);

/** Parameter decorator: the actor. Always present on routes with a `@Scope`. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  const identity = identityOf(context.switchToHttp().getRequest<Request>());
  if (identity === undefined) throw new Unauthenticated();
  return identity.actor;
});

/** Parameter decorator for public routes: the actor, or null. */
export const MaybeActor = createParamDecorator(
  (_: unknown, context: ExecutionContext): Actor | null =>
    identityOf(context.switchToHttp().getRequest<Request>())?.actor ?? null,
);
