import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import type { Unvalidated } from '../../../core/http/body.js';
import { Invalid } from '../../../core/http/errors.js';
import { Mailer } from '../../../core/mail/mailer.js';
import { ServerSecret } from '../../../core/secret.js';
import { isUsable } from '../../../engines/password/encoded-password.js';
import { type AccountRow, AccountsRepository } from '../accounts/accounts.repository.js';
import type { ConfirmResetDto, ResetPasswordDto } from '../auth.dto.js';
import { NewPasswords } from './password-change.js';
import { fromUid, isMailedToken, makeMailedToken, toUid } from './mailed-token.js';

/** Lets users set a new password with a link that is sent to them. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly newPasswords: NewPasswords,
    private readonly mailer: Mailer,
    private readonly secret: ServerSecret,
    private readonly clock: Clock,
  ) {}

  /** Sends a link to all active accounts with this address and a password. Does not reveal whether there are any. */
  async request(body: Unvalidated<ResetPasswordDto>): Promise<void> {
    const { email } = body.validate();
    for (const account of await this.accounts.byEmail(email)) {
      if (!account.is_active || !isUsable(account.password)) continue;
      const token = makeMailedToken(this.key, subjectOf(account), this.clock.now());
      const query = new URLSearchParams({ uid: toUid(account.id), token });
      const path = `/auth/password/reset/confirm?${query.toString()}`;
      this.mailer.send({ to: account.email, subject: 'Set a new password', path });
    }
  }

  async confirm(body: Unvalidated<ConfirmResetDto>): Promise<void> {
    const dto = body.validate();
    const account = await this.accounts.byId(fromUid(dto.uid));
    if (account?.is_active !== true) throw new Invalid({ uid: ['Invalid value'] });
    if (!isMailedToken(this.key, subjectOf(account), dto.token, this.clock.now()))
      throw new Invalid({ token: ['Invalid value'] });
    await this.newPasswords.set(account, dto, { byMail: true });
  }

  private get key(): Buffer {
    return this.secret.keyFor('password reset');
  }
}

/** A token becomes invalid when the password or the e-mail address of the account changes. */
const subjectOf = ({ id, password, email }: AccountRow) => ({ id, state: `${password}\0${email}` });
