import { Injectable } from '@nestjs/common';
import { requireAll } from '../../../core/access/require.js';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { ChangeLog } from '../../../core/event-log/change-log.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { Invalid, InvalidList, NotFound } from '../../../core/http/errors/errors.js';
import { Urls } from '../../../core/http/response/urls.js';
import { Mailer } from '../../../core/mail/mailer.js';
import { randomText } from '../../../core/random-text.js';
import { encodePassword } from '../../../engines/password/encoded-password.js';
import { passwordProblems, similarityProblems } from '../../../engines/password/password-rules.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { userPolicy } from '../../../shared/policy/user.policy.js';
import { readGroups, toUser, UserChanges } from '../../users/index.js';
import { VALID_MS } from '../passwords/mailed-token.js';
import { LocalPasswords } from '../passwords/local-passwords.js';
import { NewPasswords, PasswordLinks, RANDOM_LENGTH } from '../passwords/password-change.js';
import { Sessions } from '../sessions/sessions.js';
import { ApiTokens } from '../tokens/api-tokens.js';
import type { CreatedUserDto, CreateUserDto, PasswordLinkDto, ResetUserPasswordDto } from './account.dto.js';
import { type AccountRow, AccountsRepository } from './accounts.repository.js';

const EMAIL_TAKEN = 'A user is already registered with this e-mail address.';
const DISABLED = 'This account is disabled. Enable it first.';
const OWN = 'You cannot reset your own password. Change it in your account.';

/** Ends the logins of users on behalf of administrators. */
@Injectable()
export class AccountLogins {
  constructor(
    private readonly passwords: NewPasswords,
    private readonly sessions: Sessions,
    private readonly tokens: ApiTokens,
    private readonly log: ChangeLog,
  ) {}

  /** Replaces the password by one that nobody knows. @returns the account after it */
  async reset(tx: Tx, actor: Actor, account: AccountRow, keepAccessTokens: boolean): Promise<AccountRow> {
    this.log.record(tx, actor, 'reset:password', { object: named(account) }, { organizationId: null });
    return this.passwords.discard(tx, account, keepAccessTokens);
  }

  async end(tx: Tx, actor: Actor, account: AccountRow): Promise<void> {
    this.log.record(tx, actor, 'delete:session', { object: named(account) }, { organizationId: null });
    await this.sessions.stopAll(tx, account.id);
    await this.tokens.delete(tx, account.id);
  }
}

/** Hands out the links to set a password. */
@Injectable()
export class AccountLinks {
  constructor(
    private readonly links: PasswordLinks,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  /** Sends the link, or returns it if it cannot be sent. */
  give(actor: Actor, account: AccountRow, isShown = false): PasswordLinkDto {
    const isMailed = !isShown && account.email !== '' && this.mailer.isConfigured;
    const path = this.links.pathFor(account, isMailed ? 'mailed' : 'shown');
    const expiry_date = new Date(this.clock.now().getTime() + VALID_MS).toISOString();
    if (!isMailed) return { link: `${actor.baseUrl}${path}`, sent_to: null, expiry_date };
    this.mailer.send({
      to: account.email,
      subject: 'Set your password',
      reason: `Your user name is ${account.username}.`,
      request: 'Open this link within three days to set your password:',
      path,
    });
    return { link: null, sent_to: account.email, expiry_date };
  }
}

/** What administrators do with the accounts of others. */
@Injectable()
export class ManagedAccounts {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly users: UserChanges,
    private readonly accounts: AccountsRepository,
    private readonly links: AccountLinks,
    private readonly logins: AccountLogins,
    private readonly local: LocalPasswords,
  ) {}

  /** Creates an account, whose password is set now or with a link. */
  async create(actor: Actor, body: Unvalidated<CreateUserDto>): Promise<CreatedUserDto> {
    requireAll(userPolicy, ['create'], actor, { id: null, isMember: false });
    const dto = body.validate();
    const groups = readGroups(dto.groups ?? ['user']);
    const email = dto.email ?? '';
    requireGoodPassword(dto);
    const password = await encodePassword(dto.password ?? randomText(RANDOM_LENGTH));
    const id = await this.work.run(async (tx) => {
      if (!(await this.accounts.claimEmail(tx, email))) throw new Invalid({ email: [EMAIL_TAKEN] });
      const person = { username: dto.username, email, emailVerified: true, password, groups, dateJoined: tx.now };
      const names = { firstName: dto.first_name ?? '', lastName: dto.last_name ?? '' };
      const change = { by: actor, baseUrl: actor.baseUrl };
      return this.users.add(tx, change, { ...person, ...names, isAdministrator: groups.includes('admin') });
    });
    const user = toUser(await this.users.find(this.db, id), new Urls(actor.baseUrl));
    const link = dto.password == null && this.local.areAllowed ? this.links.give(actor, await this.find(id)) : null;
    return Object.assign(user, { password_link: link });
  }

  /** Makes the password of a user invalid, ends their sessions, and gives them a link to set another one. */
  async resetPassword(actor: Actor, id: number, body: Unvalidated<ResetUserPasswordDto>): Promise<PasswordLinkDto> {
    const account = await this.manage(actor, id);
    this.local.require();
    const dto = body.validate();
    if (id === actor.id) throw new InvalidList(OWN);
    if (!account.is_active) throw new InvalidList(DISABLED);
    const after = await this.work.run((tx) => this.logins.reset(tx, actor, account, dto.keep_access_tokens === true));
    return this.links.give(actor, after, dto.show_link === true);
  }

  /** Ends all sessions of a user and deletes the login token. Access tokens stay valid. */
  async endSessions(actor: Actor, id: number): Promise<void> {
    const account = await this.manage(actor, id);
    await this.work.run((tx) => this.logins.end(tx, actor, account));
  }

  /** @throws NotFound, Forbidden */
  async manage(actor: Actor, id: number): Promise<AccountRow> {
    const account = await this.find(id);
    requireAll(userPolicy, ['manage'], actor, { id, isMember: false });
    return account;
  }

  private async find(id: number): Promise<AccountRow> {
    const account = await this.accounts.byId(id);
    if (account === undefined) throw NotFound.of('User');
    return account;
  }
}

const named = ({ id, username }: AccountRow): object => ({ id, username });

function requireGoodPassword({ password, username, email, first_name, last_name }: CreateUserDto): void {
  if (password == null) return;
  const personal = {
    username,
    'first name': first_name ?? '',
    'last name': last_name ?? '',
    'email address': email ?? '',
  };
  const problems = [...similarityProblems(password, personal), ...passwordProblems(password)];
  if (problems.length > 0) throw new Invalid({ password: problems });
}
