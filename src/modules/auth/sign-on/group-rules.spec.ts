import { describe, expect, it } from '@jest/globals';
import { parseGroupRules } from '../../../config/group-mapping.js';
import { entitlements, groupsIn } from './group-rules.js';

const rules = (text: string) => parseGroupRules(text) ?? [];
const found = (text: string, ...memberOf: string[]) => {
  const { groups, roles } = entitlements(rules(text), memberOf);
  return { groups, roles: Object.fromEntries(roles) };
};

describe('the rules for groups', () => {
  it.each(['a', 'a => king', 'a => lab:owner', '=> admin', 'a => user => admin', 'a => la b:worker'])(
    'cannot be "%s"',
    (text) => expect(parseGroupRules(text)).toBeNull(),
  );

  it('allow distinguished names', () => {
    expect(parseGroupRules('cn=annotators,ou=groups => worker; * => lab:worker;')).toEqual([
      { from: 'cn=annotators,ou=groups', to: { kind: 'group', name: 'worker' } },
      { from: '*', to: { kind: 'membership', slug: 'lab', role: 'worker' } },
    ]);
  });

  it('decide about groups only if one of them names a group of Cairn', () => {
    expect(found('a => lab:worker', 'a').groups).toBeNull();
    expect(found('a => admin', 'b').groups).toEqual([]);
    expect(found('b => worker; a => admin; * => user', 'a', 'b').groups).toEqual(['admin', 'user', 'worker']);
  });

  it('give the most powerful role, and end memberships that no rule gives', () => {
    const text = 'a => lab:worker; b => lab:maintainer; c => lab:supervisor; d => shop:worker';
    expect(found(text, 'c', 'b', 'a').roles).toEqual({ lab: 'maintainer', shop: null });
    expect(found(text, 'a').roles).toEqual({ lab: 'worker', shop: null });
    expect(found(text).roles).toEqual({ lab: null, shop: null });
  });
});

describe('the groups of a person', () => {
  it('are in a claim, or below one', () => {
    expect(groupsIn({ groups: ['a', 7, 'b'] }, 'groups')).toEqual(['a', 'b']);
    expect(groupsIn({ groups: 'a' }, 'groups')).toEqual(['a']);
    expect(groupsIn({ 'https://example.org/groups': ['a'] }, 'https://example.org/groups')).toEqual(['a']);
    expect(groupsIn({ realm_access: { roles: ['a'] } }, 'realm_access.roles')).toEqual(['a']);
    expect(groupsIn({ realm_access: null }, 'realm_access.roles')).toEqual([]);
    expect(groupsIn({}, 'constructor.name')).toEqual([]);
  });
});
