import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { signBody, verifyBody } from './body-signature.js';
import { deriveSealingKey, openSecret, SealedSecretError, sealSecret } from './secret-box.js';
import { generateSecret, secretKeyBytes, standardHeaders, verifyStandard } from './standard-webhooks.js';

describe('X-Signature-256', () => {
  // RFC 4231, test case 2.
  const body = Buffer.from('what do ya want for nothing?');
  const header = 'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';

  it('is the HMAC-SHA256 of the bytes in lowercase hex', () => {
    expect(signBody('Jefe', body)).toBe(header);
  });

  it('uses a whsec_ secret as typed', () => {
    const expected = createHmac('sha256', 'whsec_AAAA').update(body).digest('hex');
    expect(signBody('whsec_AAAA', body)).toBe(`sha256=${expected}`);
  });

  it.each([
    ['the right header', 'Jefe', header, true],
    ['another secret', 'jefe', header, false],
    ['no header', 'Jefe', undefined, false],
    ['an empty header', 'Jefe', '', false],
    ['no algorithm', 'Jefe', header.slice(7), false],
    ['a cut header', 'Jefe', header.slice(0, -1), false],
    ['a longer header', 'Jefe', `${header}0`, false],
    ['another algorithm', 'Jefe', header.replace('sha256', 'sha512'), false],
  ])('verifies: %s', (_name, secret, given, expected) => {
    expect(verifyBody(secret, body, given)).toBe(expected);
  });

  it('rejects a body with one changed bit', () => {
    const bodies = fc.uint8Array({ minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(fc.string(), bodies, fc.nat(), (secret, bytes, at) => {
        const changed = Uint8Array.from(bytes);
        changed[at % bytes.length] = (changed[at % bytes.length] ?? 0) ^ 1;
        const signed = signBody(secret, bytes);
        return verifyBody(secret, bytes, signed) && !verifyBody(secret, changed, signed);
      }),
    );
  });
});

describe('Standard Webhooks', () => {
  // The example from the specification's reference libraries.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const timestamp = new Date(1_614_265_330_000);
  const body = Buffer.from('{"test": 2432232314}');
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const check = { headers, body, secrets: [secret], now: timestamp };

  it('signs the example of the specification', () => {
    expect(standardHeaders({ id, timestamp, body, secrets: [secret] })).toEqual(headers);
    expect(verifyStandard(check)).toBeNull();
  });

  it('signs with every secret of a rotation, and each signature verifies', () => {
    const both = standardHeaders({ id, timestamp, body, secrets: ['new', secret] });
    expect(both['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const one of ['new', secret]) {
      expect(verifyStandard({ ...check, headers: { ...both }, secrets: [one] })).toBeNull();
    }
    expect(verifyStandard({ ...check, headers: { ...both }, secrets: ['old'] })).toMatch(/no signature/);
  });

  it('sends id and time without a signature if there is no secret', () => {
    const unsigned = standardHeaders({ id, timestamp, body, secrets: [] });
    expect(unsigned).toEqual({ 'webhook-id': id, 'webhook-timestamp': '1614265330' });
  });

  it.each([
    ['too old', { now: new Date(timestamp.getTime() + 301_000) }, /too old/],
    ['too early', { now: new Date(timestamp.getTime() - 301_000) }, /in the future/],
    ['another body', { body: Buffer.from('{}') }, /no signature/],
    ['another id', { headers: { ...headers, 'webhook-id': 'x' } }, /no signature/],
    ['no id', { headers: { ...headers, 'webhook-id': undefined } }, /missing/],
    ['two timestamps', { headers: { ...headers, 'webhook-timestamp': ['1', '2'] } }, /missing/],
    ['a timestamp in words', { headers: { ...headers, 'webhook-timestamp': 'now' } }, /not a number/],
    ['another version', { headers: { ...headers, 'webhook-signature': 'v2,abc' } }, /no signature/],
    ['no secrets', { secrets: [] }, /no signature/],
  ])('refuses: %s', (_name, change, sentence) => {
    expect(verifyStandard({ ...check, ...change })).toMatch(sentence);
  });

  it('generates secrets that decode to 32 bytes and fit the field', () => {
    const made = generateSecret();
    expect(made).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(secretKeyBytes(made)).toHaveLength(32);
    expect(generateSecret()).not.toBe(made);
    expect(generateSecret((size) => new Uint8Array(size))).toBe(`whsec_${'A'.repeat(43)}=`);
  });

  it.each([
    ['plain', 'plain'],
    ['whsec_', 'whsec_'],
    ['whsec_not base64!', 'whsec_not base64!'],
    ['whsec_AAA', 'whsec_AAA'],
    ['ключ', 'ключ'],
  ])('uses %s as UTF-8 bytes', (typed, bytes) => {
    expect(secretKeyBytes(typed).toString()).toBe(bytes);
  });
});

describe('encrypted secrets', () => {
  const key = deriveSealingKey('the server key');

  it('decrypts what it encrypted, with a new initialization vector each time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (plain) => {
        const sealed = sealSecret(plain, key);
        return openSecret(sealed, key) === plain && sealed !== sealSecret(plain, key);
      }),
    );
  });

  it('derives the same key from the same SECRET_KEY, and different keys for different purposes', () => {
    const sealed = sealSecret('s', key);
    expect(openSecret(sealed, deriveSealingKey('the server key'))).toBe('s');
    expect(() => openSecret(sealed, deriveSealingKey('the server key', 'else'))).toThrow(/SECRET_KEY/);
    expect(() => openSecret(sealed, deriveSealingKey('another key'))).toThrow(/SECRET_KEY/);
    expect(() => deriveSealingKey('')).toThrow(SealedSecretError);
  });

  it('detects any changed character', () => {
    const sealed = sealSecret('secret', key);
    for (let i = 0; i < sealed.length; i++) {
      const other = sealed[i] === 'A' ? 'Q' : 'A';
      const changed = sealed.slice(0, i) + other + sealed.slice(i + 1);
      // The last base64 character has unused bits, so changing it may decode to the same bytes.
      if (i < sealed.length - 1) expect(() => openSecret(changed, key)).toThrow(SealedSecretError);
    }
  });

  it.each(['', 'plain', 'sealed-v1:', 'sealed-v1:AAAA', 'sealed-v2:AAAA'])('refuses %j', (sealed) => {
    expect(() => openSecret(sealed, key)).toThrow(SealedSecretError);
  });
});
