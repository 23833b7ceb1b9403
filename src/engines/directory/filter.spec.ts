import { describe, expect, it } from '@jest/globals';
import { fillFilter, normalGroup } from './filter.js';

describe('filters', () => {
  it.each([
    ['ada', '(uid=ada)'],
    ['*', '(uid=\\2a)'],
    ['a)(uid=*', '(uid=a\\29\\28uid=\\2a)'],
    ['\\2a', '(uid=\\5c2a)'],
    ['a\0', '(uid=a\\00)'],
    ['{dn}', '(uid={dn})'],
    ['José $& Müller', '(uid=José $& Müller)'],
  ])('contain %j so that it stands for itself', (username, filter) =>
    expect(fillFilter('(uid={username})', { username, dn: 'secret' })).toBe(filter),
  );

  it('can contain a value several times, and other braces', () => {
    const template = '(|(uid={username})(mail={username})(cn={x}{}))';
    expect(fillFilter(template, { username: 'a' })).toBe('(|(uid=a)(mail=a)(cn={x}{}))');
  });
});

describe('names of groups', () => {
  it.each([
    ['Annotators', 'annotators'],
    [' CN=Vision Team, OU=Groups,DC=example ', 'cn=vision team,ou=groups,dc=example'],
    ['cn = a , dc=b', 'cn=a,dc=b'],
  ])('are compared without letter case and spaces of DNs: %s', (name, normal) =>
    expect(normalGroup(name)).toBe(normal),
  );

  it('are compared in time proportional to their length', () => {
    expect(normalGroup(`a${' '.repeat(1_000_000)}b`)).toHaveLength(1_000_002);
  });
});
