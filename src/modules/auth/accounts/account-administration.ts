import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { validated } from '../../../core/http/body/body.js';
import { EmailField } from '../../../core/http/body/fields.js';
import { Invalid } from '../../../core/http/errors/errors.js';
import { encodePassword } from '../../../engines/password/encoded-password.js';
import { passwordProblems, similarityProblems } from '../../../engines/password/password-rules.js';
import { UserChanges, UsernameField } from '../../users/index.js';
import { AccountsRepository } from './accounts.repository.js';
import { NewPasswords } from '../passwords/password-change.js';
import { randomText } from '../../../core/random-text.js';
import { sql } from '../../../engines/sql/sql.js';

class NewAccount {
  @UsernameField() username!: string;
  @EmailField({ blank: true }) email!: string;
}

/** Manages accounts on the command line. */
@Injectable()
export class AccountAdministration {
  constructor(
    private readonly work: UnitOfWork,
    private readonly accounts: AccountsRepository,
    private readonly users: UserChanges,
    @Inject(CONFIG) private readonly config: Config,
    private readonly passwords: NewPasswords,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates an account.
   * @throws Invalid for a name, an address or a password that is not acceptable
   */
  async create(account: { username: string; email: string; admin: boolean }, password: string): Promise<void> {
    const { username, email } = validated(NewAccount, account);
    await this.requireFreeEmail(email);
    const problems = [
      ...similarityProblems(password, { username, 'email address': email }),
      ...passwordProblems(password),
    ];
    if (problems.length > 0) throw new Invalid({ password: problems });
    const encoded = await encodePassword(password);
    const rights = account.admin ? { groups: ['admin'], isAdministrator: true } : {};
    const dateJoined = this.clock.now();
    const change = { by: null, baseUrl: this.config.publicUrl };
    const person = { username, email, emailVerified: true, password: encoded, ...rights, dateJoined };
    await this.work.run((tx) => this.users.add(tx, change, person));
  }

  /**
   * Sets a password, and deletes the user's sessions and tokens.
   * @returns false if there is no such user name
   * @throws Invalid for a password that is not acceptable
   */
  async setPassword(username: string, password: string): Promise<boolean> {
    const found = await this.accounts.byName(username);
    const account = found.find((one) => one.username.toLowerCase() === username.toLowerCase());
    if (account === undefined) return false;
    await this.passwords.set(account, { new_password1: password, new_password2: password });
    return true;
  }

  private async requireFreeEmail(email: string): Promise<void> {
    if ((await this.accounts.byEmail(email)).length > 0) {
      throw new Invalid({ email: ['A user is already registered with this e-mail address.'] });
    }
  }
}

const PASSWORD_LENGTH = 20;
/** Advisory lock that serializes processes which start at the same time. The number is arbitrary. */
const LOCK = 0x43_41_49_52;

export interface FirstAdministrator {
  readonly username: string;
  /** The generated password, which is shown once; null if it is configured. */
  readonly password: string | null;
}

/** Creates the first administrator of a new server. */
@Injectable()
export class AdminBootstrap {
  constructor(
    private readonly work: UnitOfWork,
    private readonly users: UserChanges,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @returns null if there already are users */
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
