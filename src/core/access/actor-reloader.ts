import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Actor } from '../../shared/policy/actor.js';
import { Db } from '../database/db.js';
import { Unauthenticated } from '../http/errors/errors.js';
import { Actors } from './actors.js';
import { AUTHENTICATOR, type Authenticator } from './auth.guard.js';

/** Reloads the actors of long responses, because their groups and credentials may have changed since. */
@Injectable()
export class ActorReloader {
  constructor(
    private readonly db: Db,
    private readonly actors: Actors,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  /** @throws Unauthenticated if the account is deleted or inactive, and if its token or session was revoked */
  async reload({ id, baseUrl }: Actor, request: Request): Promise<Actor> {
    const isValid = await this.authenticator.isStillValid(request);
    const actor = isValid ? await this.actors.load(this.db, id, baseUrl) : null;
    if (actor === null) throw new Unauthenticated();
    return actor;
  }
}
