import { createHash, pbkdf2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2';
import { verify as bcryptVerify } from '@node-rs/bcrypt';

const pbkdf2Async = promisify(pbkdf2);

/** The parameters that OWASP recommends for argon2id (RFC 9106). They are the library's defaults, stated explicitly. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const CURRENT = `argon2$argon2id$v=19$m=${ARGON2.memoryCost},t=${ARGON2.timeCost},p=${ARGON2.parallelism}$`;

/** Stored parameters above these limits are treated as corrupt, because verification would take minutes. */
const MAX_ITERATIONS = 20_000_000;
const MAX_SCRYPT_BYTES = 512 * 2 ** 20;
const MAX_BCRYPT_COST = 16;

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** Marks an account without a password; nothing verifies against it. */
const UNUSABLE = '!';

/** Encodes a password as `argon2$argon2id$…`, the form Django uses for that algorithm. */
export async function encodePassword(password: string): Promise<string> {
  return `argon2${await argon2Hash(password, ARGON2)}`;
}

/** An encoded password that nothing matches, different each time. */
export const unusablePassword = (): string => UNUSABLE + randomBytes(30).toString('base64url');

export const isUsable = (encoded: string): boolean => encoded !== '' && !encoded.startsWith(UNUSABLE);

/** Whether the encoding is older or weaker than that of `encodePassword`. */
export const isOutdated = (encoded: string): boolean => isUsable(encoded) && !encoded.startsWith(CURRENT);

type Verifier = (password: string, parts: readonly string[], encoded: string) => Promise<boolean>;

const VERIFIERS: Readonly<Record<string, Verifier>> = {
  argon2: (password, _, encoded) => argon2Verify(encoded.slice('argon2'.length), password),
  pbkdf2_sha256: (password, parts) => verifyPbkdf2('sha256', password, parts),
  pbkdf2_sha1: (password, parts) => verifyPbkdf2('sha1', password, parts),
  bcrypt_sha256: (password, _, encoded) => verifyBcrypt(sha256Hex(password), encoded),
  bcrypt: (password, _, encoded) => verifyBcrypt(password, encoded),
  scrypt: verifyScrypt,
  md5: (password, parts) => Promise.resolve(verifyDigest('md5', password, parts)),
  sha1: (password, parts) => Promise.resolve(verifyDigest('sha1', password, parts)),
  sha512: (password, parts) => Promise.resolve(verifyDigest('sha512', password, parts)),
};

/** Whether this server can verify the encoding. */
export const isVerifiable = (encoded: string): boolean => Object.hasOwn(VERIFIERS, algorithmOf(encoded));

/**
 * Compares a password with an encoded one in any of Django's formats (`algorithm$…`), in constant time.
 * @returns false also for unusable, unknown and corrupt encodings
 */
export async function verifyPassword(password: string, encoded: string): Promise<boolean> {
  if (!isUsable(encoded) || !isVerifiable(encoded)) return false;
  try {
    return (await VERIFIERS[algorithmOf(encoded)]?.(password, encoded.split('$'), encoded)) ?? false;
  } catch {
    return false; // a stored text that its algorithm cannot read
  }
}

const algorithmOf = (encoded: string): string => encoded.slice(0, Math.max(0, encoded.indexOf('$')));

/** `pbkdf2_x$iterations$salt$base64`. */
async function verifyPbkdf2(digest: 'sha256' | 'sha1', password: string, parts: readonly string[]): Promise<boolean> {
  const [, iterationText = '', salt = '', stored = ''] = parts;
  const iterations = Number(iterationText);
  const expected = Buffer.from(stored, 'base64');
  if (!Number.isInteger(iterations) || iterations < 1 || iterations > MAX_ITERATIONS || expected.length === 0)
    return false;
  return equal(await pbkdf2Async(password, salt, iterations, expected.length, digest), expected);
}

/** `bcrypt$$2b$cost$salt and digest`: bcrypt's own format after the name and a `$`. */
async function verifyBcrypt(secret: string, encoded: string): Promise<boolean> {
  const stored = encoded.slice(algorithmOf(encoded).length + 1);
  const cost = Number(BCRYPT.exec(stored)?.[1]);
  return cost >= 4 && cost <= MAX_BCRYPT_COST && (await bcryptVerify(secret, stored));
}

/** Django hashes the password before bcrypt, which reads at most 72 bytes. */
const sha256Hex = (password: string): string => createHash('sha256').update(password).digest('hex');

/** `scrypt$work factor$salt$block size$parallelism$base64`. */
async function verifyScrypt(password: string, parts: readonly string[]): Promise<boolean> {
  const [, cost = '', salt = '', blockSize = '', parallelization = '', stored = ''] = parts;
  const options = { N: Number(cost), r: Number(blockSize), p: Number(parallelization), maxmem: MAX_SCRYPT_BYTES };
  const expected = Buffer.from(stored, 'base64');
  if (expected.length === 0) return false;
  const derived = await new Promise<Buffer>((resolve, reject) => {
    scrypt(password, salt, expected.length, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
  return equal(derived, expected);
}

/**
 * `md5$salt$hex`, `sha1$salt$hex` and `sha512$salt$hex`: one digest of salt and password. For imported databases only;
 * CVAT stores its access tokens as the last, without a salt.
 */
function verifyDigest(algorithm: 'md5' | 'sha1' | 'sha512', password: string, parts: readonly string[]): boolean {
  const [, salt = '', stored = ''] = parts;
  return equal(createHash(algorithm).update(salt).update(password).digest(), Buffer.from(stored, 'hex'));
}

const equal = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
