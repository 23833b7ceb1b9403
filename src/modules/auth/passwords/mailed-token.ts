import { createHmac, timingSafeEqual } from 'node:crypto';

/** The account that a token is for. The token becomes invalid when the state changes. */
export interface TokenSubject {
  readonly id: number;
  readonly state: string;
}

export const VALID_MS = 3 * 86_400_000;

/** `<milliseconds, base 36>-<HMAC>`: nothing has to be stored. @param key used for this purpose only */
export function makeMailedToken(key: Buffer, subject: TokenSubject, now: Date): string {
  const issued = now.getTime().toString(36);
  return `${issued}-${proof(key, subject, issued)}`;
}

/** Whether the token was created for this subject in this state, by default within the last three days. */
export function isMailedToken(
  key: Buffer,
  subject: TokenSubject,
  token: string,
  now: Date,
  maxAgeMs = VALID_MS,
): boolean {
  const [issued = '', given = ''] = token.split('-');
  const age = now.getTime() - Number.parseInt(issued, 36);
  if (!(age >= 0 && age <= maxAgeMs)) return false;
  const expected = Buffer.from(proof(key, subject, issued));
  const shown = Buffer.from(given);
  return expected.length === shown.length && timingSafeEqual(expected, shown);
}

const MAX_ID = 2 ** 31 - 1;

/** The id of an account in a link. */
export const toUid = (id: number): string => id.toString(36);

/** @returns 0, which is no account's id, if the text is not an id */
export function fromUid(uid: string): number {
  const id = /^[0-9a-z]{1,6}$/.test(uid) ? Number.parseInt(uid, 36) : 0;
  return id <= MAX_ID ? id : 0;
}

const proof = (key: Buffer, { id, state }: TokenSubject, issued: string): string =>
  createHmac('sha256', key).update(`${id}\0${issued}\0${state}`).digest('hex');
