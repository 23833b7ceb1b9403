import { createHash, pbkdf2Sync, scryptSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  encodePassword,
  isOutdated,
  isUsable,
  isVerifiable,
  unusablePassword,
  verifyPassword,
} from './encoded-password.js';

const PASSWORD = 'Grüße, 🐎 battery';
const b64 = (bytes: Buffer): string => bytes.toString('base64');

const FOREIGN: Readonly<Record<string, string>> = {
  pbkdf2_sha256: `pbkdf2_sha256$1000$salt$${b64(pbkdf2Sync(PASSWORD, 'salt', 1000, 32, 'sha256'))}`,
  pbkdf2_sha1: `pbkdf2_sha1$1000$salt$${b64(pbkdf2Sync(PASSWORD, 'salt', 1000, 20, 'sha1'))}`,
  scrypt: `scrypt$1024$salt$8$1$${b64(scryptSync(PASSWORD, 'salt', 64, { N: 1024, r: 8, p: 1 }))}`,
  md5: `md5$salt$${createHash('md5').update(`salt${PASSWORD}`).digest('hex')}`,
  sha1: `sha1$salt$${createHash('sha1').update(`salt${PASSWORD}`).digest('hex')}`,
};

describe('encoded passwords', () => {
  it('verifies what it encoded, and nothing else', async () => {
    const encoded = await encodePassword(PASSWORD);
    expect(encoded).toMatch(/^argon2\$argon2id\$v=19\$/);
    expect(isOutdated(encoded)).toBe(false);
    expect(await verifyPassword(PASSWORD, encoded)).toBe(true);
    expect(await verifyPassword(`${PASSWORD} `, encoded)).toBe(false);
  });

  it.each(Object.entries(FOREIGN))('verifies %s and asks to encode it again', async (_, encoded) => {
    expect(await verifyPassword(PASSWORD, encoded)).toBe(true);
    expect(await verifyPassword('other', encoded)).toBe(false);
    expect(isOutdated(encoded)).toBe(true);
  });

  it.each([
    'pbkdf2_sha256$1$seasalt$25AaZOClAOzTDEv9+nNA5HubZwUsHLhKlzN9pSIs6C8=',
    'scrypt$16384$seasalt$8$1$aw3bUxWFC3Xfheg2aovvLtnT0Y/ygxtIQOGecmEip41obMVVDU79jbPvHz9Arhl5DJSOPtnhOicOs9M/j7Q8oQ==',
  ])('verifies %s, computed elsewhere', async (encoded) => {
    expect(await verifyPassword('letmein', encoded)).toBe(true);
  });

  // what Django 5.2 itself wrote for the password above, at low cost
  it.each([
    'argon2$argon2id$v=19$m=1024,t=2,p=8$c2Vhc2FsdHNlYXNhbHQ$+kk6GtcDmPwPch+6XoSuGP4DM9IeyYAwBOSDPWAl4aQ',
    'pbkdf2_sha256$1200$seasaltseasalt$kvfhcE9E1A3Cbe4+0zRzQxnx8OF4fF/YvXvWCmKAkMk=',
    'pbkdf2_sha1$1200$seasaltseasalt$3G0oKcqKuT/rIXOiPJ81oIqUS74=',
    'bcrypt_sha256$$2b$04$V9oVuXjJo05Q7RJX8xTt8ekcRg6X2ja0WmuDh9xrHeEhVHyjYbUy6',
    'bcrypt$$2b$04$4efj0YfJLv5oxC1vLKGV8OykNPtAUNNuh8Vy6k/ZQODUEpcz5vlo6',
    'scrypt$1024$seasaltseasalt$8$5$lrfvByUr7lYZMl7F57ftGS/Gz6Qwk2GIk9/ovqBJWM92shyJzQ2x9YuxO7fZ10elcWaYZCTrHrMeLbpDFhWyxA==',
    'md5$seasaltseasalt$69ed2eab50ecfa83d69b33a0d5f18122',
  ])('verifies %s, written by Django, and asks to encode it again', async (encoded) => {
    expect(isVerifiable(encoded)).toBe(true);
    expect(await verifyPassword(PASSWORD, encoded)).toBe(true);
    expect(await verifyPassword('other', encoded)).toBe(false);
    expect(isOutdated(encoded)).toBe(true);
  });

  it('never verifies an unusable password', async () => {
    const encoded = unusablePassword();
    expect(isUsable(encoded)).toBe(false);
    expect(isOutdated(encoded)).toBe(false);
    expect(unusablePassword()).not.toBe(encoded);
    for (const password of ['', '!', encoded, encoded.slice(1)])
      expect(await verifyPassword(password, encoded)).toBe(false);
  });

  it.each([
    '',
    'plain',
    '$',
    'constructor$x',
    'argon2$nonsense',
    'pbkdf2_sha256$$salt$',
    'pbkdf2_sha256$1e99$salt$AAAA',
    'scrypt$3$salt$8$1$AAAA',
    'md5$$',
    'bcrypt_sha256$$2b$12$abcdefghijklmnopqrstuv',
    'bcrypt$$2b$31$zvxvytuP5sIuh3RSg5Vf3OnqERe0Dy33uyXCNVC8z4Hb8s6iqczcC',
  ])('refuses %j quietly', async (encoded) => {
    expect(await verifyPassword('', encoded)).toBe(false);
    expect(await verifyPassword('password', encoded)).toBe(false);
  });

  it('says which encodings it cannot verify', () => {
    expect(isVerifiable('crypt$ab$x')).toBe(false);
    expect(isVerifiable('md5$a$b')).toBe(true);
  });
});
