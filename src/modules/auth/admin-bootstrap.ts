import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { encodePassword } from '../../engines/password/encoded-password.js';
import { randomText } from '../../core/random-text.js';
import { sql } from '../../engines/sql/sql.js';
import { UserChanges } from '../users/index.js';

const PASSWORD_LENGTH = 20;
/** Serialises processes that start at once; any number will do as long as nobody else locks it. */
const LOCK = 0x43_41_49_52;

export interface FirstAdministrator {
  readonly username: string;
  /** The generated password, to be shown once; null when it was configured. */
  readonly password: string | null;
}

/** Makes the first account, so that a fresh server can be entered. */
@Injectable()
export class AdminBootstrap {
  constructor(
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(UserChanges) private readonly users: UserChanges,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @returns null when there are people already */
  async ensureAdministrator(): Promise<FirstAdministrator | null> {
    const { username, email, password: configured } = this.config.admin;
    const password = configured === '' ? randomText(PASSWORD_LENGTH) : configured;
    return this.work.run(async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${LOCK})`);
      const [known] = await tx.query(sql`select 1 from app_user limit 1`);
      if (known !== undefined) return null;
      await this.users.add(
        tx,
        { by: null, baseUrl: this.config.publicUrl },
        {
          username,
          email,
          emailVerified: true,
          password: await encodePassword(password),
          groups: ['admin'],
          isAdministrator: true,
          dateJoined: tx.now,
        },
      );
      return { username, password: configured === '' ? password : null };
    });
  }
}
