import { createHmac, timingSafeEqual } from 'node:crypto';

/** Name of the header that carries {@link signBody}'s value. */
export const BODY_SIGNATURE_HEADER = 'X-Signature-256';

/**
 * Value of `X-Signature-256`: `sha256=` and the lowercase hexadecimal HMAC-SHA256 of the exact bytes that are sent,
 * keyed with the UTF-8 bytes of the secret as its owner typed it (including a `whsec_` prefix).
 */
export function signBody(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** Whether `header` is the signature of `body`. Compares in constant time; malformed headers are false. */
export function verifyBody(secret: string, body: Uint8Array, header: string | undefined): boolean {
  return header !== undefined && equalInConstantTime(header, signBody(secret, body));
}

/** Compares two short texts in constant time. The duration may reveal their length, but not where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
