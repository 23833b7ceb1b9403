import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A stored secret that cannot be decrypted: the key is different, or its bytes were changed. */
export class SealedSecretError extends Error {
  override readonly name = 'SealedSecretError';
}

const VERSION = 'sealed-v1:';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Derives the key for {@link sealSecret} from the server's SECRET_KEY by HKDF-SHA256. Derive it once and keep it.
 * Values encrypted for one `purpose` cannot be decrypted for another.
 */
export function deriveSealingKey(secretKey: string, purpose = 'webhook-secrets'): KeyObject {
  if (secretKey === '') throw new SealedSecretError('SECRET_KEY is empty: secrets cannot be encrypted with it');
  return createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', purpose, KEY_BYTES)));
}

/** Encrypts a text with AES-256-GCM. Returns `sealed-v1:` followed by the base64url of {@link sealBytes}. */
export function sealSecret(plain: string, key: KeyObject, random: (size: number) => Uint8Array = randomBytes): string {
  return VERSION + sealBytes(Buffer.from(plain), key, random).toString('base64url');
}

/** Decrypts the result of {@link sealSecret}. Throws {@link SealedSecretError}, which never contains the text. */
export function openSecret(sealed: string, key: KeyObject): string {
  if (!sealed.startsWith(VERSION)) throw new SealedSecretError(`a stored secret does not have the form "${VERSION}…"`);
  return openBytes(Buffer.from(sealed.slice(VERSION.length), 'base64url'), key).toString('utf8');
}

/** Encrypts bytes with AES-256-GCM. Returns initialization vector (12 bytes), tag (16) and ciphertext. */
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

/** Decrypts the result of {@link sealBytes}. Throws {@link SealedSecretError}, which never contains the bytes. */
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
