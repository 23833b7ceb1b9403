import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config, configuredUrl } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { Db, type Queryable } from '../../../core/database/db.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { RequestTrail } from '../../../core/event-log/request-trail.js';
import { ServerSecret } from '../../../core/secret.js';
import { sql } from '../../../engines/sql/sql.js';
import { type AccountRow, AccountsRepository } from '../accounts/accounts.repository.js';
import { fromUid, isMailedToken, makeMailedToken, toUid } from '../passwords/mailed-token.js';
import { Cookies, readCookies } from '../sessions/sessions.js';
import { LoginRecords } from './login.service.js';

const VALID_MS = 15 * 60_000;

/** Links that log in once. The operator of the server creates them, for when no other way to log in works. */
@Injectable()
export class LoginLinks {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly accounts: AccountsRepository,
    private readonly records: LoginRecords,
    private readonly cookies: Cookies,
    private readonly trail: RequestTrail,
    private readonly secret: ServerSecret,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @returns the URL, without scheme and host if the settings do not have them; null if there is no such active user */
  async create(username: string): Promise<string | null> {
    const found = await this.accounts.byName(username);
    const account = found.find((one) => one.username.toLowerCase() === username.toLowerCase());
    if (account?.is_active !== true) return null;
    const token = makeMailedToken(this.key, await this.subjectOf(this.db, account), this.clock.now());
    const query = new URLSearchParams({ uid: toUid(account.id), token });
    return `${configuredUrl(this.config) ?? ''}/api/auth/login-link?${query.toString()}`;
  }

  /** Starts a session. @returns the path of the page to show */
  async use(uid: string, token: string, request: Request, response: Response): Promise<string> {
    const account = await this.accounts.byId(fromUid(uid));
    const sessionKey =
      account?.is_active === true ? await this.start(account, token, readCookies(request).session) : null;
    if (account === undefined || sessionKey === null) return '/login?problem=link';
    this.cookies.logIn(response, sessionKey);
    this.trail.note('login', request, account);
    return '/';
  }

  /**
   * Each login changes the time of the last one, which the token contains, so a link works once. It also contains when the
   * account was disabled, which ends its links.
   */
  private start(account: AccountRow, token: string, previous: string): Promise<string | null> {
    return this.work.run(async (tx) => {
      await tx.query(sql`select 1 from app_user where id = ${account.id} for update`);
      const subject = await this.subjectOf(tx, account);
      if (!isMailedToken(this.key, subject, token, this.clock.now(), VALID_MS)) return null;
      return this.records.startSession(tx, account.id, previous);
    });
  }

  private async subjectOf(db: Queryable, { id, password }: AccountRow): Promise<{ id: number; state: string }> {
    const [row] = await db.query<{ last_login: string | null; disabled_date: string | null }>(sql`
      select last_login, disabled_date from app_user where id = ${id}`);
    return { id, state: `${row?.last_login ?? 'never'}\0${row?.disabled_date ?? 'never'}\0${password}` };
  }

  private get key(): Buffer {
    return this.secret.keyFor('login link');
  }
}
