import type { Request, Response } from 'express';
import type { Actor } from '../../policy/actor.js';
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
  /** For long answers: whether the token or the session that a request has shown was not withdrawn since, nor ran out. */
  stillHolds(request: Request): Promise<boolean>;
}

export const AUTHENTICATOR = Symbol('Authenticator');
