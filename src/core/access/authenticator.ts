import type { Request, Response } from 'express';
import type { Actor } from '../../shared/policy/actor.js';
import type { Credential } from './current-actor.decorator.js';

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
  stillHolds(request: Request): Promise<boolean>;
}

export const AUTHENTICATOR = Symbol('Authenticator');
