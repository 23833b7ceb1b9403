import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { Forbidden, Unavailable } from '../../../core/http/errors/errors.js';
import { baseUrlOf } from '../../../core/http/request/base-url.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { DirectoryError } from '../../../engines/directory/connection.js';
import { authenticate, type DirectoryUser, requireNames } from '../../../engines/directory/directory.js';
import { type AccountRow, AccountsRepository } from '../accounts/accounts.repository.js';
import { type Person, SignOnAccounts } from './sign-on-accounts.js';
import { SignOnProblem, type SignOnProblemCode } from './sign-on-problem.js';
import { SignOnRoles } from './sign-on-roles.js';

/** There is one directory, whose servers and base can change while its people stay the same. */
const ISSUER = 'ldap';

const DOWN =
  'The directory with the passwords cannot be used at the moment. Try again later, or ask an administrator: the log of the server has the reason.';
const ADMINISTRATOR = 'Ask an administrator';
/** For people whose password is right. */
const REFUSALS: Partial<Record<SignOnProblemCode, string>> = {
  unverified: `Your entry in the directory has no e-mail address. ${ADMINISTRATOR} to add it.`,
  invalid: `The e-mail address of your entry in the directory is not valid. ${ADMINISTRATOR} to correct it.`,
  unknown: `There is no account for you on this server. ${ADMINISTRATOR} to create one.`,
  taken: `Your e-mail address belongs to another account of this server. ${ADMINISTRATOR}: the log of the server has the reason.`,
};

/** Logs people in with their name and password in the directory. */
@Injectable()
export class DirectoryLogins {
  private readonly rules: Person['rules'];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly work: UnitOfWork,
    private readonly rows: AccountsRepository,
    private readonly accounts: SignOnAccounts,
    private readonly roles: SignOnRoles,
  ) {
    requireNames(config.ldap);
    const { groupRules, createAccounts } = config.ldap;
    this.rules = { groupRules, createAccounts, requiresVerifiedEmail: false };
  }

  /**
   * Verifies the password, and finds, links or creates the account.
   * @returns undefined if there is no directory, it refuses the name or the password, or the account is disabled
   * @throws Forbidden for people who cannot have an account; Unavailable
   */
  async find(
    names: { readonly username: string; readonly email: string },
    password: string,
    request: Request,
  ): Promise<AccountRow | undefined> {
    const user = await this.authenticate(names, password);
    if (user === null) return undefined;
    try {
      return await this.enter(user, baseUrlOf(request, this.config.publicUrl));
    } catch (error) {
      if (!(error instanceof SignOnProblem)) throw error;
      this.log.warn({ problem: error.code }, `a login with the directory failed: ${error.message}`);
      const refusal = REFUSALS[error.code];
      if (refusal !== undefined) throw new Forbidden(refusal);
      return undefined;
    }
  }

  /** Whether the directory accepts the name and the password. */
  async accepts(names: { readonly username: string; readonly email: string }, password: string): Promise<boolean> {
    return (await this.authenticate(names, password)) !== null;
  }

  /** If both are entered, both must be the same person's. */
  private async authenticate(
    { username, email }: { readonly username: string; readonly email: string },
    password: string,
  ): Promise<DirectoryUser | null> {
    if (this.config.ldap.urls.length === 0) return null;
    try {
      const answer = await authenticate(this.config.ldap, username || email, password);
      if (answer.user === null) {
        this.log.debug({ reason: answer.reason }, 'the directory refused a login');
        return null;
      }
      if (answer.user.ambiguousGroups.length > 0)
        this.log.warn(
          { groups: answer.user.ambiguousGroups },
          'rules of LDAP_GROUPS are ignored: several entries of the directory have this cn; write the whole DN',
        );
      const isSame = username === '' || email === '' || email.toLowerCase() === answer.user.email.toLowerCase();
      return isSame ? answer.user : null;
    } catch (error) {
      if (!(error instanceof DirectoryError)) throw error;
      this.log.error({ err: error }, 'the directory cannot be used');
      throw new Unavailable(DOWN);
    }
  }

  private enter(user: DirectoryUser, baseUrl: string): Promise<AccountRow | undefined> {
    const person = this.personOf(user);
    return this.work.run(async (tx) => {
      const change = { by: null, baseUrl };
      const { account } = await this.accounts.resolve(tx, change, person);
      await this.roles.apply(tx, change, account.id, this.rules.groupRules, person.groups);
      return this.rows.byId(account.id, tx); // with the new groups
    });
  }

  private personOf({ id, ...user }: DirectoryUser): Person {
    const { trustEmail } = this.config.ldap;
    return { ...user, issuer: ISSUER, subject: id, isEmailVerified: trustEmail, rules: this.rules };
  }
}
