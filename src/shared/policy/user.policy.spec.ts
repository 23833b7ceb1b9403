import { describe, expect, it } from '@jest/globals';
import { actorWith, differences, ME, OTHER, type Row, type Situation } from '../../../test/support/policy-table.js';
import { userPolicy, type UserScope } from './user.policy.js';

const NOBODY: Row = { sandbox: '–', organization: '–' };
const SELF: Row = { sandbox: 'self', organization: 'self' };

const ROWS: Readonly<Record<UserScope, Row>> = {
  list: { sandbox: 'any', organization: 'member' },
  view: { sandbox: 'self', organization: 'self / member & colleague' },
  create: NOBODY,
  update: SELF,
  delete: SELF,
  manage: NOBODY,
};

describe('userPolicy', () => {
  it.each(Object.entries(ROWS))('%s', (scope, row) => {
    const decide = ({ actor, relation }: Situation): boolean =>
      userPolicy.allow(scope as UserScope, actor, {
        id: relation === 'self' ? ME : OTHER,
        isMember: relation === 'colleague',
      });
    const relations = { self: ['self'], colleague: ['colleague'] };
    expect(differences(row, ['self', 'colleague'], relations, decide, 'no object')).toEqual([]);
  });

  it('shows the actor, the members of the named organization, or everybody', () => {
    const organization = { id: 5, ownerId: OTHER, role: 'worker' } as const;
    expect(userPolicy.visible(actorWith('user')).compile()).toEqual({ text: 'app_user.id = $1', values: [ME] });
    expect(userPolicy.visible(actorWith('admin')).compile().text).toBe('true');
    for (const privilege of ['none', 'admin'] as const) {
      const { text, values } = userPolicy.visible(actorWith(privilege, organization)).compile();
      expect(text).toContain('membership.organization_id = $1');
      expect(values).toEqual([5]);
    }
  });
});
