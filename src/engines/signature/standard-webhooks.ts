import { createHmac, randomBytes } from 'node:crypto';
import { equalInConstantTime } from './body-signature.js';

/** Headers of the Standard Webhooks specification 1.0.0. */
export interface StandardHeaders {
  'webhook-id': string;
  /** Time of this attempt (not of the event) in whole seconds since 1970. */
  'webhook-timestamp': string;
  /** Absent when the webhook has no secret. */
  'webhook-signature'?: string;
}

export interface StandardMessage {
  /** The same for all attempts of a delivery, so that receivers can detect duplicates. Contains no full stop. */
  id: string;
  timestamp: Date;
  body: Uint8Array;
  /** The valid secrets, newest first: two during a rotation, none for an unsigned webhook. */
  secrets: readonly string[];
}

const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SECRET_BYTES = 32;

/** Generates a `whsec_…` secret of 32 random bytes (50 characters). */
export function generateSecret(random: (size: number) => Uint8Array = randomBytes): string {
  return PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64');
}

/**
 * The key bytes of a secret: the part after `whsec_` decoded from base64. Any other secret, including one with the
 * prefix but no valid base64, is used as UTF-8 bytes.
 */
export function secretKeyBytes(secret: string): Buffer {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  return encoded !== '' && BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : Buffer.from(secret);
}

/** The three headers of one attempt, with one signature for each secret, separated by spaces. */
export function standardHeaders(message: StandardMessage): StandardHeaders {
  const seconds = String(Math.floor(message.timestamp.getTime() / 1000));
  const headers: StandardHeaders = { 'webhook-id': message.id, 'webhook-timestamp': seconds };
  if (message.secrets.length > 0) {
    const signatures = message.secrets.map((secret) => signature(secret, message.id, seconds, message.body));
    headers['webhook-signature'] = signatures.join(' ');
  }
  return headers;
}

export interface StandardCheck {
  /** Header names in lower case, as Node gives them. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array;
  secrets: readonly string[];
  now: Date;
  /**
   * Maximum age of the attempt, and how far in the future it may be. The specification's libraries allow five minutes.
   */
  toleranceSeconds?: number;
}

/**
 * Verifies a message as a receiver does. Null if it is genuine and recent, otherwise a sentence that says what is
 * wrong.
 */
export function verifyStandard(check: StandardCheck): string | null {
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': given } = check.headers;
  if (typeof id !== 'string' || typeof seconds !== 'string' || typeof given !== 'string') {
    return 'webhook-id, webhook-timestamp or webhook-signature is missing';
  }
  if (!/^\d{1,12}$/.test(seconds)) return 'webhook-timestamp is not a number of seconds';
  const age = Math.floor(check.now.getTime() / 1000) - Number(seconds);
  const tolerance = check.toleranceSeconds ?? 300;
  if (age > tolerance) return 'webhook-timestamp is too old';
  if (age < -tolerance) return 'webhook-timestamp is in the future';

  const valid = check.secrets.map((secret) => signature(secret, id, seconds, check.body));
  const offered = given.split(' ');
  const genuine = valid.some((one) => offered.some((other) => equalInConstantTime(one, other)));
  return genuine ? null : 'webhook-signature has no signature made with this secret';
}

function signature(secret: string, id: string, seconds: string, body: Uint8Array): string {
  const mac = createHmac('sha256', secretKeyBytes(secret)).update(`${id}.${seconds}.`).update(body);
  return `v1,${mac.digest('base64')}`;
}
