import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { type Limit, Throttles } from '../../../core/access/throttles.js';
import { Clock } from '../../../core/clock.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { NotFound } from '../../../core/http/errors/errors.js';
import { Mailer } from '../../../core/mail/mailer.js';
import { ServerSecret } from '../../../core/secret.js';
import { sql } from '../../../engines/sql/sql.js';
import { type AccountRow, AccountsRepository } from './accounts.repository.js';
import { fromUid, isMailedToken, makeMailedToken, toUid } from '../passwords/mailed-token.js';

type Owner = Pick<AccountRow, 'id' | 'email'>;

const EMAILS: Limit = { name: 'verification e-mails', most: 3, windowMs: 3_600_000 };

/** Verifies the e-mail addresses of accounts with a link that is sent there. */
@Injectable()
export class EmailVerification {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly work: UnitOfWork,
    private readonly mailer: Mailer,
    private readonly secret: ServerSecret,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly throttles: Throttles,
  ) {}

  /** Whether users can only log in with a verified address. */
  get isMandatory(): boolean {
    return this.config.emailVerification === 'mandatory';
  }

  /** Whether this user has to verify their address before they log in with their password. */
  blocks(account: Pick<AccountRow, 'email_verified'>): boolean {
    return this.isMandatory && !account.email_verified;
  }

  /** Sends the link, at most a few times an hour. Call it after the commit. */
  async send(owner: Owner): Promise<void> {
    if (this.config.emailVerification === 'none') return;
    if ((await this.throttles.hit(EMAILS, String(owner.id))) > 0) return;
    const key = `${toUid(owner.id)}-${makeMailedToken(this.key, subjectOf(owner), this.clock.now())}`;
    const path = `/auth/email-confirmation?${new URLSearchParams({ key }).toString()}`;
    this.mailer.send({
      to: owner.email,
      subject: 'Confirm your e-mail address',
      request: 'Open this link to confirm your e-mail address:',
      path,
    });
  }

  /** @param key from the link @throws NotFound for a key that is wrong, expired, or of another address */
  async confirm(key: string): Promise<void> {
    const [uid = '', ...token] = key.split('-');
    const account = await this.accounts.byId(fromUid(uid));
    const isRight =
      account?.is_active === true &&
      isMailedToken(this.key, subjectOf(account), token.join('-'), this.clock.now()) &&
      (await this.markVerified(account));
    if (!isRight) throw new NotFound();
  }

  private async markVerified({ id, email }: Owner): Promise<boolean> {
    const marked = await this.work.run((tx) =>
      tx.query(sql`update app_user set email_verified = true where id = ${id} and email = ${email} returning id`),
    );
    return marked.length > 0;
  }

  private get key(): Buffer {
    return this.secret.keyFor('e-mail verification');
  }
}

const subjectOf = ({ id, email }: Owner) => ({ id, state: email });
