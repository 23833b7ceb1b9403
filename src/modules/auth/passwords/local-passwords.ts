import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Forbidden } from '../../../core/http/errors/errors.js';

/** Shown by programs, too, which cannot log in at the identity provider. */
export const NO_PASSWORDS =
  'This server has no passwords. Log in with single sign-on in the browser; programs use access tokens.';

/** Whether users can log in with a password, of this server or of the directory. */
export const acceptsPasswords = ({ localPasswords, ldap }: Config): boolean => localPasswords || ldap.urls.length > 0;

/** Whether users can have a password here. */
@Injectable()
export class LocalPasswords {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  get areAllowed(): boolean {
    return this.config.localPasswords;
  }

  /** Passwords of a directory are accepted, too. @throws Forbidden */
  requireLogin(): void {
    if (!acceptsPasswords(this.config)) throw new Forbidden(NO_PASSWORDS);
  }

  /** @throws Forbidden */
  require(): void {
    if (!this.areAllowed) throw new Forbidden(NO_PASSWORDS);
  }
}
