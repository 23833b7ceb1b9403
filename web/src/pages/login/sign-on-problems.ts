/** Why a login without a password failed, by the code in the URL. */
const PROBLEMS: Readonly<Record<string, string>> = {
  denied: 'The identity provider did not let you in, or you cancelled the login.',
  unavailable: 'The identity provider does not respond. Try again later, or ask an administrator.',
  expired: 'The login took too long, was used already, or began in another browser. Log in again.',
  invalid:
    'The response of the identity provider is not valid. Ask an administrator: the log of the server has the reason.',
  refused:
    'The identity provider refused the request of this server. Ask an administrator: the log of the server has the reason.',
  unverified: 'The identity provider has not verified your email address. Verify it there, then log in again.',
  unknown: 'There is no account for you on this server. Ask an administrator to create one.',
  taken: 'Your email address belongs to another account of this server. Ask an administrator to correct the address.',
  disabled: 'Your account is disabled. Ask an administrator to enable it.',
  link: 'This link has been used or has expired. Create a new one.',
};

/** @returns the sentence for a code; undefined without one */
export const signOnProblem = (code: string | null): string | undefined =>
  code === null ? undefined : Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code] : 'The login failed. Try again.';
