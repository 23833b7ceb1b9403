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

  it.each(['1', '4095', '65M', '1T', 'x'])('refuses EVENT_SINK_MAX_BYTES=%s', (value) =>
    expect(problems({ EVENT_SINK_MAX_BYTES: value })).toEqual([
      `EVENT_SINK_MAX_BYTES must be a size from 4K to 64M, not "${value}".`,
    ]),
  );

  it.each(['4K', '900K', '64 MiB'])('accepts EVENT_SINK_MAX_BYTES=%s', (value) =>
    expect(problems({ EVENT_SINK_MAX_BYTES: value })).toEqual([]),
  );

  it.each([
    'PUBLIC_URL',
    'MEDIA_S3_ENDPOINT',
    'GOOGLE_STORAGE_ENDPOINT',
    'OIDC_ISSUER',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  ])('refuses a password in %s', (name) =>
    expect(
      problems({ OIDC_CLIENT_ID: name === 'OIDC_ISSUER' ? 'cairn' : '', [name]: 'https://ann:pa55@host' }),
    ).toEqual([`${name} must not contain a user name or a password.`]),
  );

  it('accepts a password in the URLs of functions, which are printed without it', () =>
    expect(problems({ FUNCTIONS_URLS: 'http://ann:pa55@host', NUCLIO_URL: 'http://ann:pa55@host' })).toEqual([]));

  it.each([
    'PUBLIC_URL',
    'DATABASE_URL',
    'DATABASE_DIRECT_URL',
    'MEDIA_URL',
    'MEDIA_S3_ENDPOINT',
    'GOOGLE_STORAGE_ENDPOINT',
    'OIDC_ISSUER',
    'FUNCTIONS_URLS',
    'NUCLIO_URL',
    'EVENT_SINK',
    'LDAP_URL',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'TRUSTED_ORIGINS',
  ])('does not print the password of an invalid %s', (name) => {
    for (const wrong of ['ftp://ann:pa55/@w0rd@host/', 'https://ann:pa55/@w0rd@host:port/']) {
      const found = problems({ [name]: wrong });
      expect(found).toContainEqual(expect.stringContaining(name));
      expect(found.join('\n')).not.toMatch(/pa55|w0rd/);
    }
  });

  it('needs what a directory needs', () => {
    const ldap = { LDAP_URL: 'ldaps://a.example.org, ldaps://b.example.org:1636', LDAP_USER_BASE: 'ou=people,dc=org' };
    expect(problems(ldap)).toEqual([]);
    expect(problems({ ...ldap, LOCAL_PASSWORDS: 'false' })).toEqual([]);
    const all = {
      ...ldap,
      LDAP_USER_BASE: '',
      LDAP_STARTTLS: 'true',
      LDAP_BIND_DN: 'cn=reader',
      LDAP_GROUPS: 'a => user',
    };
    expect(problems(all)).toEqual([
      'LDAP_USER_BASE is required with LDAP_URL.',
      'LDAP_BIND_DN and LDAP_BIND_PASSWORD must be set together.',
      'LDAP_STARTTLS is only for URLs that start with ldap://.',
      'LDAP_GROUPS requires LDAP_GROUP_BASE.',
    ]);
    for (const [name, value] of [
      ['LDAP_URL', 'https://a.example.org'],
      ['LDAP_URL', 'ldap://a.example.org/dc=org'],
      ['LDAP_USER_FILTER', '(uid=ada)'],
      ['LDAP_USER_FILTER', 'uid={username}'],
      ['LDAP_GROUP_FILTER', 'member={dn}'],
    ] as const)
      expect(problems({ ...ldap, [name]: value })).toEqual([expect.stringContaining(name)]);
  });
});
