import { describe, expect, it } from '@jest/globals';
import { actorWith, differences, ME, OTHER, type Row } from '../../../test/support/policy-table.js';
import { contextOrganization } from './actor.js';
import { enforcedFilters, loggedEventPolicy, type LoggedEventScope } from './event.policy.js';

/** Within an organization: one that the request names. */
const ROWS: Readonly<Record<LoggedEventScope, Row>> = {
  send: { sandbox: 'any', organization: 'member' },
  export: { sandbox: 'G≥worker', organization: 'G≥worker & member' },
  audit: { sandbox: 'any', organization: 'org owner' },
  supervise: { sandbox: '–', organization: '–' },
};

describe('loggedEventPolicy', () => {
  it.each(Object.entries(ROWS))('%s', (scope, row) => {
    expect(
      differences(
        row,
        [],
        {},
        ({ actor }) =>
          loggedEventPolicy.allow(scope as LoggedEventScope, actor, { organization: contextOrganization(actor) }),
        'no object',
      ),
    ).toEqual([]);
  });

  const organization = { id: 5, ownerId: OTHER } as const;

  it.each([
    ['an administrator', actorWith('admin'), {}, 'true'],
    ['an administrator in an organization', actorWith('admin', { ...organization, role: null }), { org_id: 5 }, 'true and org_id = $1'],
    ['a user', actorWith('user'), { user_id: ME }, 'user_id = $1'],
    ['a worker', actorWith('worker'), { user_id: ME }, 'user_id = $1'],
    ['an owner', actorWith('user', { ...organization, role: 'owner' }), { org_id: 5 }, 'true and org_id = $1'],
    ['a maintainer', actorWith('user', { ...organization, role: 'maintainer' }), { org_id: 5 }, 'true and org_id = $1'],
    ['a maintainer in the group worker', actorWith('worker', { ...organization, role: 'maintainer' }), { user_id: ME, org_id: 5 }, 'user_id = $1 and org_id = $2'],
    ['a supervisor', actorWith('user', { ...organization, role: 'supervisor' }), { user_id: ME, org_id: 5 }, 'user_id = $1 and org_id = $2'],
  ])('exports what %s may see', (_, actor, filters, condition) => {
    expect(enforcedFilters(actor)).toEqual(filters);
    const { text, values } = loggedEventPolicy.visible(actor).compile();
    expect([text, values]).toEqual([condition, Object.values(filters)]);
  }); // prettier-ignore
});
