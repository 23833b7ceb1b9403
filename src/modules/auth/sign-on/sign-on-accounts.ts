import { Inject, Injectable } from '@nestjs/common';
import type { GroupRule } from '../../../config/group-mapping.js';
import { Clock } from '../../../core/clock.js';
import type { Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { validated } from '../../../core/http/body/body.js';
import { EmailField } from '../../../core/http/body/fields.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { randomText } from '../../../core/random-text.js';
import { unusablePassword } from '../../../engines/password/encoded-password.js';
import { sql } from '../../../engines/sql/sql.js';
import { isStorable, UNSTORABLE } from '../../../engines/sql/storable-text.js';
import { type AccountChange, awaitsRegistration, UserChanges } from '../../users/index.js';
import { ACCOUNT_COLUMNS, type AccountRow, AccountsRepository } from '../accounts/accounts.repository.js';
import { NewPasswords } from '../passwords/password-change.js';
import { SignOnProblem } from './sign-on-problem.js';

/** Advisory lock; the number is arbitrary. */
const IDENTITY_LOCK = 0x4f_49_44_43;
const MAX_NAME = 150;
/** Characters that user names cannot have. */
const NOT_IN_NAMES = /[^\p{L}\p{N}_.@+-]/gu;
const NUMBERED_NAMES = 20;
/**
 * Addresses at names of no network, such as that of the first administrator (`ADMIN_EMAIL`). Everybody can have a
 * provider confirm them, because no mail proves who owns them.
 */
const PLACEHOLDER = /@(?:.*\.)?(?:localhost|localdomain|invalid)$/i;

/** What the provider says, by the rules of addresses that users enter. */
class ProvidedEmail {
  @EmailField() email!: string;
}

/** What the settings of a provider or directory say about the accounts of its people. */
export interface ProviderRules {
  readonly groupRules: readonly GroupRule[];
  /** Whether people without an account get one at their first login. */
  readonly createAccounts: boolean;
  /** Whether people need a verified address. Otherwise, one with an unverified address gets an account of their own. */
  readonly requiresVerifiedEmail: boolean;
}

/** A person, as an identity provider or a directory describes them. */
export interface Person {
  readonly issuer: string;
  readonly subject: string;
  /** Empty if it is unknown. */
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly username: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly groups: readonly string[];
  readonly rules: ProviderRules;
}

/** The account of a person, and the row of `sign_on_identity` that connects both. */
export interface LinkedAccount {
  readonly account: AccountRow;
  readonly identityId: number;
}

/** Finds, links and creates the accounts of people whom an identity provider or a directory has authenticated. */
@Injectable()
export class SignOnAccounts {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly users: UserChanges,
    private readonly passwords: NewPasswords,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * The account that this person has used before; else the one with their verified e-mail address; else a new one.
   * @throws SignOnProblem if there is none, or it is disabled
   */
  async resolve(tx: Tx, change: AccountChange, identity: Person): Promise<LinkedAccount> {
    const { issuer, subject } = identity;
    if (!isStorable(subject)) throw new SignOnProblem('invalid', `the id of the person ${UNSTORABLE}`);
    await tx.query(sql`select pg_advisory_xact_lock(${IDENTITY_LOCK}, hashtext(${`${issuer} ${subject}`}))`);
    const known = await this.known(tx, identity);
    const found = known ?? (await this.link(tx, change, identity));
    if (!found.account.is_active) throw new SignOnProblem('disabled', `the account ${found.account.id} is disabled`);
    return found;
  }

  private async known(db: Queryable, { issuer, subject }: Person): Promise<LinkedAccount | undefined> {
    const [row] = await db.query<AccountRow & { readonly identity_id: number }>(sql`
      select sign_on_identity.id as identity_id, ${ACCOUNT_COLUMNS}
      from sign_on_identity join app_user on app_user.id = sign_on_identity.user_id
      where sign_on_identity.issuer = ${issuer} and sign_on_identity.subject = ${subject}
      for update of app_user`);
    return row === undefined ? undefined : { account: row, identityId: row.identity_id };
  }

  /** An unverified address could be anybody's, so it finds no account. */
  private async link(tx: Tx, change: AccountChange, identity: Person): Promise<LinkedAccount> {
    const { issuer, subject, email, isEmailVerified, rules } = identity;
    if (email === '' || (!isEmailVerified && rules.requiresVerifiedEmail))
      throw new SignOnProblem('unverified', 'the provider does not say that the e-mail address is verified');
    requireEmail(email);
    const isFree = await this.accounts.claimEmail(tx, email);
    if (!isFree && !isEmailVerified)
      throw new SignOnProblem('taken', `an account has the address ${email}, and it is not verified whose it is`);
    const account = isFree ? await this.create(tx, change, identity) : await this.adopt(tx, change, identity);
    const [row] = await tx.query<{ id: number }>(sql`
      insert into sign_on_identity (issuer, subject, user_id, created_date)
      values (${issuer}, ${subject}, ${account.id}, ${this.clock.now()}) returning id`);
    return { account, identityId: row?.id ?? 0 };
  }

  /** Links the existing account with the address. */
  private async adopt(tx: Tx, change: AccountChange, identity: Person): Promise<AccountRow> {
    const [account, ...others] = await this.accounts.byEmail(identity.email, tx);
    if (account === undefined || others.length > 0)
      throw new SignOnProblem('taken', 'several accounts have this e-mail address');
    // The database ignores case in all alphabets, so that letters which only look alike can be the same to it.
    if (inLowerCase(account.email) !== inLowerCase(identity.email))
      throw new SignOnProblem('taken', `the e-mail address is similar to that of the account ${account.id}`);
    const linked = await tx.query(sql`
      select 1 from sign_on_identity where issuer = ${identity.issuer} and user_id = ${account.id} limit 1`);
    if (linked.length > 0)
      throw new SignOnProblem('taken', `the account ${account.id} belongs to another person of the provider`);
    if (PLACEHOLDER.test(account.email))
      throw new SignOnProblem('taken', `nobody can own the address of the account ${account.id}; change it first`);
    if (!account.is_active) throw new SignOnProblem('disabled', `the account ${account.id} is disabled`);
    if (awaitsRegistration(account)) return this.complete(tx, change, account, identity);
    if (account.email_verified) return account;
    // Whoever created the account may have entered somebody else's address, and still know the password.
    this.log.warn(
      { user: account.id },
      'linked an account with an unverified e-mail address; its password and other links were removed',
    );
    await this.passwords.discard(tx, account, false);
    await tx.query(sql`delete from sign_on_identity where user_id = ${account.id}`);
    return this.verified(tx, account.id);
  }

  /** Completes the account that an invitation has created, as registration does. */
  private async complete(tx: Tx, change: AccountChange, account: AccountRow, identity: Person): Promise<AccountRow> {
    const before = await this.users.find(tx, account.id, true);
    const username = await this.freeName(tx, identity, account.id);
    await tx.query(sql`
      update app_user set username = ${username}, first_name = ${nameOf(identity.firstName)},
        last_name = ${nameOf(identity.lastName)} where id = ${account.id}`);
    await this.users.recordUpdate(tx, change, before);
    return this.verified(tx, account.id);
  }

  private async create(tx: Tx, change: AccountChange, identity: Person): Promise<AccountRow> {
    if (!identity.rules.createAccounts)
      throw new SignOnProblem('unknown', 'there is no account with this e-mail address, and none is created');
    const id = await this.users.add(tx, change, {
      username: await this.freeName(tx, identity, null),
      email: identity.email,
      emailVerified: identity.isEmailVerified,
      password: unusablePassword(),
      firstName: nameOf(identity.firstName),
      lastName: nameOf(identity.lastName),
      dateJoined: tx.now,
    });
    return this.read(tx, id);
  }

  /** The name at the provider or in the directory, or the address before the `@`. If it is taken, a number is added. */
  private async freeName(tx: Tx, { username, email }: Person, ownId: number | null): Promise<string> {
    const wanted = nameOf(username || (email.split('@')[0] ?? '')).replace(NOT_IN_NAMES, '') || 'user';
    for (let number = 1; number <= NUMBERED_NAMES; number += 1) {
      const name = number === 1 ? wanted : `${wanted.slice(0, MAX_NAME - 3)}-${number}`;
      if (await this.users.isNameFree(name, ownId, tx)) return name;
    }
    return `${wanted.slice(0, MAX_NAME - 9)}-${randomText(8)}`;
  }

  private async verified(tx: Tx, id: number): Promise<AccountRow> {
    await tx.query(sql`update app_user set email_verified = true where id = ${id}`);
    return this.read(tx, id);
  }

  private async read(db: Queryable, id: number): Promise<AccountRow> {
    const account = await this.accounts.byId(id, db);
    if (account === undefined) throw new Error(`The account ${id} has vanished`);
    return account;
  }
}

function requireEmail(email: string): void {
  try {
    validated(ProvidedEmail, { email });
  } catch (error) {
    throw new SignOnProblem('invalid', 'the e-mail address that the provider sent is not valid', error);
  }
}

/** In lower case as far as it is ASCII. */
const inLowerCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Without characters that the database cannot store, also after it was cut within one. */
const nameOf = (text: string): string => text.slice(0, MAX_NAME).replaceAll(/\0|\p{Surrogate}/gu, '');
