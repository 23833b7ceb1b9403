import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import type { Tx } from '../../../core/database/tx.js';
import { RequestTrail } from '../../../core/event-log/request-trail.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { baseUrlOf } from '../../../core/http/request/base-url.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { Forbidden, Invalid, InvalidList } from '../../../core/http/errors/errors.js';
import { encodePassword } from '../../../engines/password/encoded-password.js';
import { passwordProblems, similarityProblems } from '../../../engines/password/password-rules.js';
import { sql } from '../../../engines/sql/sql.js';
import { type AccountChange, awaitsRegistration, UserChanges, usernameTaken } from '../../users/index.js';
import { type AccountRow, AccountsRepository } from '../accounts/accounts.repository.js';
import { Cookies, readCookies } from '../sessions/sessions.js';
import type { RegisterDto, RegisteredDto } from '../auth.dto.js';
import { EmailVerification } from '../accounts/email-verification.js';
import { LoginRecords } from './login.service.js';

const MAX_NAME = 150;
interface Registration {
  readonly dto: RegisterDto;
  /** Encoded. */
  readonly password: string;
  /** The account that an invitation has created for this person. */
  readonly invited: AccountRow | null;
}

const CLOSED = 'Registration is closed on this server. Ask an administrator for an account.';
const NOT_INVITED =
  'Registration on this server needs an invitation. Open the link in its e-mail, or ask for the invitation to be sent again.';
const EMAIL_TAKEN = 'A user is already registered with this e-mail address.';

/** Registers new users. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly users: UserChanges,
    @Inject(CONFIG) private readonly config: Config,
    private readonly accounts: AccountsRepository,
    private readonly records: LoginRecords,
    private readonly verification: EmailVerification,
    private readonly cookies: Cookies,
    private readonly trail: RequestTrail,
  ) {}

  /**
   * Creates an account and logs it in, unless the e-mail address must be confirmed first. A person who was invited by
   * e-mail completes the account that the invitation has created.
   */
  async register(body: Unvalidated<RegisterDto>, request: Request, response: Response): Promise<RegisteredDto> {
    if (this.config.registration === 'closed') throw new Forbidden(CLOSED);
    const { dto, invited } = await this.check(body);
    await this.requireInvitation(dto, invited);
    const password = await encodePassword(dto.password1);
    const change = { by: null, baseUrl: baseUrlOf(request, this.config.publicUrl) };
    const { id, entry } = await this.work.run(async (tx) => {
      const id = await this.save(tx, change, { dto, password, invited });
      if (this.verification.isMandatory) return { id, entry: null };
      return { id, entry: await this.records.logIn(tx, id, password, readCookies(request).session) };
    });
    await this.verification.send({ id, email: dto.email });
    if (entry !== null) {
      this.cookies.logIn(response, entry.sessionKey);
      this.trail.note('login', request, { id, username: dto.username, email: dto.email });
    }
    return toRegistered(dto, entry?.tokenKey ?? null);
  }

  /** @throws Forbidden without a valid invitation, if registration requires one */
  private async requireInvitation(dto: RegisterDto, invited: AccountRow | null): Promise<void> {
    if (this.config.registration !== 'invited') return;
    const key = dto.invitation_key ?? '';
    if (invited === null || !(await this.accounts.isInvited(invited.id, key))) throw new Forbidden(NOT_INVITED);
  }

  /** Reports all invalid fields at once, and conflicts between fields after that. */
  private async check(body: Unvalidated<RegisterDto>): Promise<{ dto: RegisterDto; invited: AccountRow | null }> {
    const { username, email, password1 } = body.raw;
    const fields: Record<string, unknown> = { ...fieldProblems(body) };
    const holders = typeof email === 'string' ? await this.accounts.byEmail(email.trim()) : [];
    const invited = holders.find(isInvited) ?? null;
    if (fields['username'] === undefined && typeof username === 'string') {
      const isFree = await this.users.isNameFree(username.trim(), invited?.id ?? null);
      if (!isFree) Object.assign(fields, usernameTaken().body);
    }
    const rules = typeof password1 === 'string' ? passwordProblems(password1) : [];
    if (fields['password1'] === undefined && rules.length > 0) fields['password1'] = rules;
    if (Object.keys(fields).length > 0) throw new Invalid(inOrder(fields));
    const dto = body.validate();
    if (holders.some((one) => !isInvited(one))) throw new InvalidList(EMAIL_TAKEN);
    requireGoodPair(dto);
    return { dto, invited };
  }

  private async save(tx: Tx, change: AccountChange, { dto, password, invited }: Registration): Promise<number> {
    const [firstName, lastName] = [dto.first_name ?? '', dto.last_name ?? ''].map((name) => name.slice(0, MAX_NAME));
    const { username, email } = dto;
    const person = { username, email, password, firstName: firstName ?? '', lastName: lastName ?? '' };
    if (invited === null && !(await this.accounts.claimEmail(tx, email))) throw new InvalidList(EMAIL_TAKEN);
    if (invited === null) return this.users.add(tx, change, { ...person, dateJoined: tx.now });
    const before = await this.users.find(tx, invited.id, true);
    await this.users.requireFreeName(tx, username, invited.id);
    const [row] = await tx.query<{ id: number }>(sql`
      update app_user set username = ${username}, password = ${password}, first_name = ${person.firstName},
        last_name = ${person.lastName}, email = ${email}
      where id = ${invited.id} and password = ${invited.password} returning id`);
    if (row === undefined) throw new InvalidList(EMAIL_TAKEN);
    await this.users.recordUpdate(tx, change, before);
    return row.id;
  }
}

const isInvited = (account: AccountRow): boolean => account.is_active && awaitsRegistration(account);

function fieldProblems(body: Unvalidated<RegisterDto>): Record<string, unknown> {
  try {
    body.validate();
    return {};
  } catch (error) {
    if (error instanceof Invalid) return error.body as Record<string, unknown>;
    throw error;
  }
}

const ORDER = ['username', 'email', 'password1', 'password2', 'first_name', 'last_name'];
const inOrder = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(ORDER.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));

function requireGoodPair(dto: RegisterDto): void {
  if (dto.password1 !== dto.password2)
    throw new Invalid({ non_field_errors: ["The two password fields didn't match."] });
  const problems = similarityProblems(dto.password1, {
    username: dto.username,
    'first name': dto.first_name ?? '',
    'last name': dto.last_name ?? '',
    'email address': dto.email,
  });
  if (problems.length > 0) throw new Invalid({ non_field_errors: problems });
}

const toRegistered = (dto: RegisterDto, key: string | null): RegisteredDto => ({
  username: dto.username,
  email: dto.email,
  first_name: dto.first_name ?? '',
  last_name: dto.last_name ?? '',
  email_verification_required: key === null,
  key,
});
