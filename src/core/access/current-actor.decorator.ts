import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Actor } from '../../shared/policy/actor.js';
import { Unauthenticated } from '../http/errors.js';

/** How a request proved who it is. */
export interface Credential {
  readonly kind: 'session' | 'token' | 'basic' | 'bearer' | 'signature';
  /** Row id or key of what was shown, where there is one. */
  readonly id: string | number | null;
  /** A token that may only read. */
  readonly readOnly: boolean;
}

interface Identity {
  readonly actor: Actor;
  readonly credential: Credential;
}

const identities = new WeakMap<Request, Identity>();

/** Remembers who asks, for the decorators below. */
export function identify(request: Request, identity: Identity): void {
  identities.set(request, identity);
}

export const identityOf = (request: Request): Identity | undefined => identities.get(request);

/** Parameter: who asks. Routes with a `@Scope` always have somebody. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  const identity = identityOf(context.switchToHttp().getRequest<Request>());
  if (identity === undefined) throw new Unauthenticated();
  return identity.actor;
});

/** Parameter for public routes: who asks, or null. */
export const MaybeActor = createParamDecorator(
  (_: unknown, context: ExecutionContext): Actor | null =>
    identityOf(context.switchToHttp().getRequest<Request>())?.actor ?? null,
);
