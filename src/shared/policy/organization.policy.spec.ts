import { describe, expect, it } from '@jest/globals';
import { actorWith, ME, OTHER } from '../../../test/support/policy-table.js';
import type { Privilege, Role } from './actor.js';
import { organizationPolicy, type OrganizationScope } from './organization.policy.js';

const SCOPES: readonly OrganizationScope[] = ['list', 'create', 'view', 'update', 'transfer', 'delete'];

interface Who {
  readonly owns?: true;
  /** The role of an active membership. */
  readonly role?: Role;
  readonly inactive?: true;
}

/** Permissions other than listing and creating, for workers and above, and for users without a group. */
const TABLE: readonly [who: Who, worker: OrganizationScope[], none: OrganizationScope[]][] = [
  [{}, [], []],
  [{ inactive: true }, ['view'], ['view']],
  [{ role: 'worker' }, ['view'], ['view']],
  [{ role: 'supervisor' }, ['view'], ['view']],
  [{ role: 'maintainer' }, ['view', 'update'], ['view']],
  [{ role: 'owner' }, ['view'], ['view']], // given to somebody else
  [{ role: 'owner', owns: true }, ['view', 'update', 'transfer', 'delete'], ['view']],
  [{ owns: true }, ['view', 'update', 'transfer', 'delete'], ['view']],
];

const allowed = (privilege: Privilege, who: Who): OrganizationScope[] => {
  const facts = {
    ownerId: who.owns ? ME : OTHER,
    role: who.role ?? null,
    isKnown: who.role !== undefined || who.inactive === true,
  };
  return SCOPES.filter((scope) => organizationPolicy.allow(scope, actorWith(privilege), facts));
};

describe('organizationPolicy', () => {
  it.each(TABLE)('%j', (who, worker, none) => {
    expect(allowed('admin', who)).toEqual(SCOPES);
    expect(allowed('user', who)).toEqual(['list', 'create', ...worker]);
    expect(allowed('worker', who)).toEqual(['list', ...worker]);
    expect(allowed('none', who)).toEqual(['list', ...none]);
  });

  it('shows owned organizations and those with an active membership', () => {
    const seen = (privilege: Privilege) => organizationPolicy.visible(actorWith(privilege)).compile();
    expect(seen('admin').text).toBe('true');
    expect(seen('user').text).toMatch(
      /^\(organization\.owner_id = \$1 or exists \(.*user_id = \$2\s+and .*is_active\)\)$/s,
    );
    expect(seen('user').values).toEqual([ME, ME]);
  });
});
