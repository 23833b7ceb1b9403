import { timingSafeEqual } from 'node:crypto';

/** The parts of a request that the CSRF check reads. */
export interface CsrfEvidence {
  /** Value of the csrftoken cookie; empty if there is none. */
  readonly cookie: string;
  /** Value of X-CSRFToken. */
  readonly header: string | undefined;
  readonly origin: string | undefined;
  readonly referer: string | undefined;
  /** Whether the request came over HTTPS. */
  readonly secure: boolean;
  /** Origins (`https://host:port`) of this server. */
  readonly own: readonly string[];
  /** More trusted origins; `https://*.example.org` stands for every host below it. */
  readonly trusted: readonly string[];
}

const SECRET_LENGTH = 32;
const CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const HEADER = "CSRF token from the 'X-Csrftoken' HTTP header";

/** @returns the reason to refuse a changing request of a session, or null */
export function csrfProblem(evidence: CsrfEvidence): string | null {
  return originProblem(evidence) ?? tokenProblem(evidence);
}

function originProblem({ origin, referer, secure, own, trusted }: CsrfEvidence): string | null {
  if (origin !== undefined) {
    return isAllowed(origin, own, trusted)
      ? null
      : `Origin checking failed - ${origin} does not match any trusted origins.`;
  }
  if (!secure) return null;
  if (referer === undefined) return 'Referer checking failed - no Referer.';
  if (!URL.canParse(referer)) return 'Referer checking failed - Referer is malformed.';
  const { origin: from, protocol } = new URL(referer);
  if (protocol !== 'https:') return 'Referer checking failed - Referer is insecure while host is secure.';
  return isAllowed(from, own, trusted)
    ? null
    : `Referer checking failed - ${referer} does not match any trusted origins.`;
}

function isAllowed(text: string, own: readonly string[], trusted: readonly string[]): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, host } = new URL(text);
  if (origin === 'null') return false;
  return (
    own.some((one) => sameOrigin(one, origin)) ||
    trusted.some((one) => sameOrigin(one, origin) || isBelow(one, protocol, host))
  );
}

const sameOrigin = (one: string, origin: string): boolean => URL.canParse(one) && new URL(one).origin === origin;

function isBelow(pattern: string, protocol: string, host: string): boolean {
  const [scheme = '', domain] = pattern.split('://*.');
  return domain !== undefined && `${scheme}:` === protocol && host.endsWith(`.${domain.toLowerCase()}`);
}

function tokenProblem({ cookie, header }: CsrfEvidence): string | null {
  if (cookie === '') return 'CSRF cookie not set.';
  const cookieForm = formProblem(cookie);
  if (cookieForm !== null) return `CSRF cookie ${cookieForm}.`;
  if (header === undefined || header === '') return 'CSRF token missing.';
  const headerForm = formProblem(header);
  if (headerForm !== null) return `${HEADER} ${headerForm}.`;
  return timingSafeEqual(Buffer.from(unmask(cookie)), Buffer.from(unmask(header))) ? null : `${HEADER} incorrect.`;
}

function formProblem(token: string): string | null {
  if (token.length !== SECRET_LENGTH && token.length !== 2 * SECRET_LENGTH) return 'has incorrect length';
  return /^[A-Za-z0-9]+$/.test(token) ? null : 'has invalid characters';
}

/** A token is the secret, or a random mask followed by the secret shifted by it, character by character. */
function unmask(token: string): string {
  if (token.length === SECRET_LENGTH) return token;
  const index = (position: number): number => CHARACTERS.indexOf(token.charAt(position));
  return Array.from({ length: SECRET_LENGTH }, (_, position) =>
    CHARACTERS.at((index(SECRET_LENGTH + position) - index(position)) % CHARACTERS.length),
  ).join('');
}
