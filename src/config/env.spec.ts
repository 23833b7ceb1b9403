import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig } from './env.js';

const problems = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

describe('settings', () => {
  it('reports all invalid settings at once', () => {
    expect(problems({ PORT: 'http', TRUST_PROXY: 'proxy.lan', TRUSTED_ORIGINS: 'https://a.org, a.org' })).toEqual([
      'PORT must be a whole number from 0 to 65535, not "http".',
      'TRUST_PROXY must be a list of addresses, ranges, loopback, linklocal or uniquelocal, not "proxy.lan".',
      'TRUSTED_ORIGINS must be a list of origins such as https://tools.example.org or https://*.example.org; "a.org" is not valid.',
    ]);
  });

  it.each([
    ['TRUST_PROXY', 'loopback, 10.0.0.0/8,192.168.0.0/255.255.0.0, fd00::/8, ::1'],
    ['TRUSTED_ORIGINS', 'https://tools.example.org, http://localhost:3000/, https://*.example.org'],
    ['ADMIN_USERNAME', 'anna.müller+2@home-1_x'],
    ['ADMIN_EMAIL', 'root@localhost'],
  ])('accepts %s=%s', (name, value) => expect(problems({ [name]: value })).toEqual([]));

  it.each([
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.0/8/8'],
    ['TRUST_PROXY', 'fd00::/255.0.0.0'],
    ['TRUST_PROXY', 'true'],
    ['TRUSTED_ORIGINS', 'https://example.org/path'],
    ['TRUSTED_ORIGINS', '*'],
    ['TRUSTED_ORIGINS', 'ftp://example.org'],
    ['ADMIN_USERNAME', 'a b'],
    ['ADMIN_EMAIL', 'root'],
  ])('refuses %s=%s', (name, value) =>
    expect(problems({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} must be `))]),
  );
});
