import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../config/env.js';
import { requireNames } from './directory.js';

const check = (env: Readonly<Record<string, string>>): void =>
  requireNames(
    readConfig({
      LDAP_URL: 'ldaps://ldap.example.org',
      LDAP_USER_BASE: 'ou=people,dc=org',
      LDAP_GROUP_BASE: 'ou=groups,dc=org',
      ...env,
    }).ldap,
  );

describe('the names of groups in the settings of a directory', () => {
  it('can be names and DNs', () =>
    expect(() => check({ LDAP_GROUPS: 'team (a=b), 1 => admin; cn=a\\, b,dc=org => user; * => user' })).not.toThrow());

  it.each([
    [{ LDAP_GROUPS: 'cn=a,,dc=org => admin' }, 'LDAP_GROUPS names "cn=a,,dc=org", which is not a valid DN.'],
    [{ LDAP_GROUPS: 'cn="a",dc=org => admin' }, 'which is not a valid DN.'],
    [{ LDAP_GROUP_BASE: 'groups', LDAP_GROUPS: 'a => admin' }, 'LDAP_GROUP_BASE must be a DN'],
  ])('cannot be %j', (env, message) => expect(() => check(env)).toThrow(message));
});
