import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import type { Unvalidated } from '../../core/http/body.js';
import { Invalid } from '../../core/http/errors.js';
import { Mailer } from '../../core/mail/mailer.js';
import { ServerSecret } from '../../core/secret.js';
import { isUsable } from '../../engines/password/encoded-password.js';
import { AccountsRepository } from './accounts.repository.js';
import type { ConfirmResetDto, ResetPasswordDto } from './dto/auth.dto.js';
import { NewPasswords } from './new-passwords.js';
import { isResetToken, makeResetToken } from './password-reset-token.js';

const MAX_ID = 2 ** 31 - 1;

/** A new password for those who forgot theirs. */
@Injectable()
export class PasswordResetService {
  constructor(
    @Inject(AccountsRepository) private readonly accounts: AccountsRepository,
    @Inject(NewPasswords) private readonly newPasswords: NewPasswords,
    @Inject(Mailer) private readonly mailer: Mailer,
    @Inject(ServerSecret) private readonly secret: ServerSecret,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** Sends a link to everybody with this address who has a password. Says nothing about whether there is anybody. */
  async request(body: Unvalidated<ResetPasswordDto>): Promise<void> {
    const { email } = body.validate();
    for (const account of await this.accounts.byEmail(email)) {
      if (!account.is_active || !isUsable(account.password)) continue;
      const token = makeResetToken(this.key, account, this.clock.now());
      const query = new URLSearchParams({ uid: account.id.toString(36), token });
      const path = `/auth/password/reset/confirm?${query.toString()}`;
      this.mailer.send({ to: account.email, subject: 'Set a new password', path });
    }
  }

  async confirm(body: Unvalidated<ConfirmResetDto>): Promise<void> {
    const dto = body.validate();
    const id = /^[0-9a-z]{1,6}$/.test(dto.uid) ? Number.parseInt(dto.uid, 36) : 0;
    const account = id <= MAX_ID ? await this.accounts.byId(id) : undefined;
    if (account?.is_active !== true) throw new Invalid({ uid: ['Invalid value'] });
    if (!isResetToken(this.key, account, dto.token, this.clock.now())) throw new Invalid({ token: ['Invalid value'] });
    await this.newPasswords.set(account, dto);
  }

  private get key(): Buffer {
    return this.secret.keyFor('password reset');
  }
}
