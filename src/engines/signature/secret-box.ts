import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A stored secret that cannot be read: another key, or bytes that were changed. */
export class SealedSecretError extends Error {
  override readonly name = 'SealedSecretError';
}

const VERSION = 'sealed-v1:';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * The key for {@link sealSecret}, from the server's SECRET_KEY by HKDF-SHA256. Derive it once and keep it. `purpose`
 * separates keys: what was sealed for one purpose cannot be opened for another.
 */
export function deriveSealingKey(secretKey: string, purpose = 'webhook-secrets'): KeyObject {
  if (secretKey === '') throw new SealedSecretError('SECRET_KEY is empty: secrets cannot be encrypted with it');
  return createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', purpose, KEY_BYTES)));
}

/** Encrypts a text with AES-256-GCM: `sealed-v1:` and base64url of {@link sealBytes}'s value. */
export function sealSecret(plain: string, key: KeyObject, random: (size: number) => Uint8Array = randomBytes): string {
  return VERSION + sealBytes(Buffer.from(plain), key, random).toString('base64url');
}

/** The text that {@link sealSecret} was given. Throws {@link SealedSecretError}, which never holds the text. */
export function openSecret(sealed: string, key: KeyObject): string {
  if (!sealed.startsWith(VERSION)) throw new SealedSecretError(`a stored secret does not have the form "${VERSION}…"`);
  return openBytes(Buffer.from(sealed.slice(VERSION.length), 'base64url'), key).toString('utf8');
}

/** Encrypts bytes with AES-256-GCM: initialisation vector (12 bytes), tag (16) and cipher text. */
export function sealBytes(
  plain: Uint8Array,
  key: KeyObject,
  random: (size: number) => Uint8Array = randomBytes,
): Buffer {
  const iv = random(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(VERSION));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** The bytes that {@link sealBytes} was given. Throws {@link SealedSecretError}, which never holds them. */
export function openBytes(sealed: Buffer, key: KeyObject): Buffer {
  if (sealed.length < IV_BYTES + TAG_BYTES)
    throw new SealedSecretError(`a stored secret does not have the form "${VERSION}…"`);
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(VERSION)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    throw new SealedSecretError('a stored secret cannot be decrypted: SECRET_KEY is not the one it was stored with');
  }
}
