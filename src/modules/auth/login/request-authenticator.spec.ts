import { describe, expect, it } from '@jest/globals';
import { type CsrfEvidence, csrfProblem } from './request-authenticator.js';

const CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const SECRET = 'kP3zQ9aB7cD1eF5gH2iJ4kL6mN8oR0sT';

/** The form in which a page hands out the secret: a mask, then the secret moved on by it. */
const masked = (mask: string): string =>
  mask +
  Array.from(SECRET, (character, position) => {
    const sum = CHARACTERS.indexOf(character) + CHARACTERS.indexOf(mask.charAt(position));
    return CHARACTERS[sum % CHARACTERS.length];
  }).join('');

const evidence = (more: Partial<CsrfEvidence>): CsrfEvidence => ({
  cookie: SECRET,
  header: SECRET,
  origin: undefined,
  referer: undefined,
  secure: false,
  own: ['http://cairn.test:8080', ''],
  trusted: ['https://*.example.org', 'https://ui.test'],
  ...more,
});

describe('csrfProblem', () => {
  it('takes the secret plain or masked', () => {
    for (const header of [SECRET, masked('Z'.repeat(32)), masked('9aZ0bY1cX2dW3eV4fU5gT6hS7iR8jQkP')]) {
      expect(csrfProblem(evidence({ header }))).toBeNull();
      expect(csrfProblem(evidence({ cookie: header }))).toBeNull();
    }
    expect(csrfProblem(evidence({ header: masked('Z'.repeat(32)).replace(/.$/, '_') }))).toMatch(/invalid characters/);
    expect(csrfProblem(evidence({ header: 'a'.repeat(64) }))).toMatch(/incorrect\.$/);
  });

  it.each([
    'http://cairn.test:8080',
    'https://a.example.org',
    'https://a.b.example.org',
    'https://ui.test',
    'https://ui.test:443',
  ])('lets %s in', (origin) => expect(csrfProblem(evidence({ origin }))).toBeNull());

  it.each([
    'http://cairn.test',
    'https://cairn.test:8080',
    'http://a.example.org',
    'https://example.org',
    'https://evilexample.org',
    'https://ui.test.evil.test',
    'null',
    'file://',
    '',
  ])('keeps %j out', (origin) => {
    expect(csrfProblem(evidence({ origin }))).toBe(
      `Origin checking failed - ${origin} does not match any trusted origins.`,
    );
  });
});
