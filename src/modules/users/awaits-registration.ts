import { isUsable } from '../../engines/password/encoded-password.js';

/**
 * Is this an account that an invitation made for an unknown e-mail address? It is named by the address and has no
 * password; whoever registers with the address completes it.
 */
export const awaitsRegistration = (user: {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}): boolean => !isUsable(user.password) && user.username.toLowerCase() === user.email.toLowerCase();
