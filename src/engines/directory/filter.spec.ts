import { describe, expect, it } from '@jest/globals';
import { fillFilter } from './filter.js';

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
