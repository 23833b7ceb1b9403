import { describe, expect, it } from '@jest/globals';
import { actorWith, ME, OTHER, seenBy } from '../../../test/support/policy-table.js';
import type { OrganizationFacts, Privilege, Role } from './actor.js';
import { membershipPolicy, type MembershipScope } from './membership.policy.js';

const SCOPES: readonly MembershipScope[] = ['view', 'change:role', 'delete'];
const ALL = 'view change:role delete';

const as = (role: Role | null, ownerId = OTHER): OrganizationFacts => ({ id: 5, ownerId, role });
const OWNER = as('owner', ME);

/** What `user`, `worker` and users without a group may do to a membership with `role`. */
type Line = [
  organization: OrganizationFacts,
  of: 'self' | 'other',
  role: Role,
  user: string,
  worker: string,
  none: string,
];

const ACTIVE: readonly Line[] = [
  [as(null), 'other', 'worker', '', '', ''],
  [as('worker'), 'other', 'worker', 'view', 'view', 'view'],
  [as('supervisor'), 'other', 'worker', 'view', 'view', 'view'],
  [as('maintainer'), 'other', 'worker', ALL, 'view', 'view'],
  [as('maintainer'), 'other', 'supervisor', ALL, 'view', 'view'],
  [as('maintainer'), 'other', 'maintainer', 'view', 'view', 'view'],
  [as('maintainer'), 'other', 'owner', 'view', 'view', 'view'],
  [OWNER, 'other', 'maintainer', ALL, 'view', 'view'],
  [OWNER, 'other', 'owner', 'view', 'view', 'view'],
  [as('owner'), 'other', 'worker', 'view', 'view', 'view'], // the organization belongs to somebody else now
  [as('worker'), 'self', 'worker', 'view delete', 'view delete', 'view'],
  [as('maintainer'), 'self', 'maintainer', 'view delete', 'view delete', 'view'],
  [OWNER, 'self', 'owner', 'view', 'view', 'view'],
];

const INACTIVE: readonly Line[] = [
  [as('worker'), 'other', 'worker', '', '', ''],
  [as(null), 'self', 'worker', '', '', ''],
  [as('maintainer'), 'other', 'worker', ALL, 'view', 'view'],
  [OWNER, 'other', 'worker', ALL, 'view', 'view'],
];

const check = ([organization, of, role, user, worker, none]: Line, isActive: boolean): void => {
  const facts = { userId: of === 'self' ? ME : OTHER, role, isActive, organization };
  const allowed = (privilege: Privilege): string =>
    SCOPES.filter((scope) => membershipPolicy.allow(scope, actorWith(privilege), facts)).join(' ');
  expect([allowed('admin'), allowed('user'), allowed('worker'), allowed('none')]).toEqual([ALL, user, worker, none]);
};

describe('membershipPolicy', () => {
  it.each(ACTIVE)('active: %j, %s, %s', (...line) => check(line, true));
  it.each(INACTIVE)('inactive: %j, %s, %s', (...line) => check(line, false));

  it("lists the actor's active ones, those of the named organization, or all", () => {
    const seen = (privilege: Privilege, organization: OrganizationFacts | null): string => {
      const actor = actorWith(privilege, organization);
      return membershipPolicy.mayList(actor) ? membershipPolicy.visible(actor).compile().text : 'refused';
    };
    expect(seenBy(membershipPolicy.visible(actorWith('user')))).toEqual(['membership.user_id']);
    expect(seen('none', null)).toContain('membership.is_active');
    expect(seen('user', as(null))).toBe('refused');
    expect(seen('none', as('worker'))).toBe('membership.is_active');
    expect(seen('none', as('maintainer'))).toBe('true');
    expect(seen('user', OWNER)).toBe('true');
    expect(seen('admin', as(null))).toBe('true');
    expect(seen('admin', null)).toBe('true');
  });
});
