import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Clock } from '../../core/clock.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { validated } from '../../core/http/body.js';
import { EmailField } from '../../core/http/fields.js';
import { Invalid } from '../../core/http/errors.js';
import { encodePassword } from '../../engines/password/encoded-password.js';
import { passwordProblems, similarityProblems } from '../../engines/password/password-rules.js';
import { UserChanges, UsernameField } from '../users/index.js';
import { AccountsRepository } from './accounts.repository.js';
import { NewPasswords } from './new-passwords.js';

class NewAccount {
  @UsernameField() username!: string;
  @EmailField({ blank: true }) email!: string;
}

/** Accounts as an administrator of the machine sees to them, without a request. */
@Injectable()
export class AccountAdministration {
  constructor(
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(AccountsRepository) private readonly accounts: AccountsRepository,
    @Inject(UserChanges) private readonly users: UserChanges,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(NewPasswords) private readonly passwords: NewPasswords,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Makes an account.
   * @throws Invalid when the name, the address or the password will not do
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
   * Sets a password and ends the sessions and tokens of the person.
   * @returns false when there is no such user name
   * @throws Invalid when the password will not do
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
