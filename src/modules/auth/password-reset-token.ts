import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whose password may be reset, as it is stored now: setting a new one makes the token worthless. */
export interface ResetSubject {
  readonly id: number;
  /** Encoded. */
  readonly password: string;
}

const VALID_MS = 3 * 86_400_000;

/** `<milliseconds, base 36>-<HMAC>`: nothing has to be stored. */
export function makeResetToken(key: Buffer, subject: ResetSubject, now: Date): string {
  const issued = now.getTime().toString(36);
  return `${issued}-${proof(key, subject, issued)}`;
}

/** Was the token made for this person and password, within the last three days? */
export function isResetToken(key: Buffer, subject: ResetSubject, token: string, now: Date): boolean {
  const [issued = '', given = ''] = token.split('-');
  const age = now.getTime() - Number.parseInt(issued, 36);
  if (!(age >= 0 && age <= VALID_MS)) return false;
  const expected = Buffer.from(proof(key, subject, issued));
  const shown = Buffer.from(given);
  return expected.length === shown.length && timingSafeEqual(expected, shown);
}

const proof = (key: Buffer, subject: ResetSubject, issued: string): string =>
  createHmac('sha256', key).update(`${subject.id}\0${issued}\0${subject.password}`).digest('hex');
