import { Inject, Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Invalid } from '../../core/http/errors.js';
import { encodePassword } from '../../engines/password/encoded-password.js';
import { passwordProblems, similarityProblems } from '../../engines/password/password-rules.js';
import { sql } from '../../engines/sql/sql.js';
import type { AccountRow } from './account.js';
import { ApiTokens } from './api-tokens.js';
import type { NewPasswordDto } from './dto/auth.dto.js';
import { Sessions } from './sessions.js';

/** Puts a new password in the place of an old one. */
@Injectable()
export class NewPasswords {
  constructor(
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(ApiTokens) private readonly tokens: ApiTokens,
  ) {}

  /**
   * Stores the password and ends what was obtained with the old one: the sessions, the log-in token and, unless the
   * body says to keep them, the access tokens of the person.
   * @param how `byMail`: with a link that was sent to the e-mail address, which therefore is the person's
   * @throws Invalid when the password will not do
   */
  async set(account: AccountRow, dto: NewPasswordDto, how = { byMail: false }): Promise<void> {
    requireGoodPassword(account, dto);
    const encoded = await encodePassword(dto.new_password1);
    await this.work.run(async (tx) => {
      await tx.query(
        sql`update app_user set password = ${encoded}, email_verified = email_verified or ${how.byMail} where id = ${account.id}`,
      );
      await this.sessions.stopAll(tx, account.id);
      await this.tokens.delete(tx, account.id);
      if (dto.keep_access_tokens !== true) await tx.query(sql`delete from access_token where owner_id = ${account.id}`);
    });
  }
}

function requireGoodPassword(account: AccountRow, dto: NewPasswordDto): void {
  const { new_password1: password, new_password2: repeated } = dto;
  if (password !== repeated) throw new Invalid({ new_password2: ['The two password fields didn’t match.'] });
  const personal = {
    username: account.username,
    'first name': account.first_name,
    'last name': account.last_name,
    'email address': account.email,
  };
  const problems = [...similarityProblems(password, personal), ...passwordProblems(password)];
  if (problems.length > 0) throw new Invalid({ new_password2: problems });
}
