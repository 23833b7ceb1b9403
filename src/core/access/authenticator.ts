import type { Request, Response } from 'express';
import type { Actor } from '../../shared/policy/actor.js';
import type { Credential } from './current-actor.decorator.js';

/** A known person, before the organization context of the request is looked up. */
export interface Authenticated {
  readonly user: Omit<Actor, 'context' | 'baseUrl'>;
  readonly credential: Credential;
}

/** Finds out who sends a request. Implemented by the auth module. */
export interface Authenticator {
  /**
   * @returns null when the request shows no credential
   * @throws Unauthenticated for a wrong one, Forbidden for a missing CSRF proof
   */
  authenticate(request: Request, response: Response): Promise<Authenticated | null>;
  /** For long answers: whether what a request has shown is still valid: a token, a session, or a password. */
  stillHolds(request: Request): Promise<boolean>;
}

export const AUTHENTICATOR = Symbol('Authenticator');
