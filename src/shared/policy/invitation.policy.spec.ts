import { describe, expect, it } from '@jest/globals';
import { actorWith, differences, ME, OTHER, type Row, type Situation } from '../../../test/support/policy-table.js';
import type { OrganizationFacts, Privilege, Role } from './actor.js';
import { type InvitationFacts, invitationPolicy, type InvitationScope } from './invitation.policy.js';

const RELATIONS = ['sender', 'invitee'];
const SETS = { sender: ['sender'], invitee: ['invitee'], related: RELATIONS };

const facts = ({ relation, organization }: Situation): InvitationFacts => ({
  ownerId: relation === 'sender' ? ME : OTHER,
  inviteeId: relation === 'invitee' ? ME : OTHER,
  role: 'worker',
  organization,
});

const MANAGE: Row = { sandbox: 'G≥worker & sender', organization: 'G≥worker & sender / G≥user & org staff' };
const ANSWER: Row = { sandbox: 'invitee', organization: 'invitee' };

const ROWS: Readonly<Record<Exclude<InvitationScope, 'create'>, Row>> = {
  view: { sandbox: 'related', organization: 'related / G≥user & org staff' },
  resend: MANAGE,
  delete: MANAGE,
  accept: ANSWER,
  decline: ANSWER,
};

const as = (role: Role | null, ownerId = OTHER): OrganizationFacts => ({ id: 5, ownerId, role });
const OWNER = as('owner', ME);

describe('invitationPolicy', () => {
  it.each(Object.entries(ROWS))('%s', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      invitationPolicy.allow(scope as InvitationScope, situation.actor, facts(situation));
    expect(differences(row, RELATIONS, SETS, decide)).toEqual([]);
  });

  it.each<[organization: OrganizationFacts | null, roles: string]>([
    [null, ''],
    [as(null), ''],
    [as('worker'), ''],
    [as('supervisor'), ''],
    [as('maintainer'), 'worker supervisor'],
    [as('owner'), ''],
    [OWNER, 'worker supervisor maintainer boss'],
  ])('create: %j may invite as %s', (organization, roles) => {
    const invited = (privilege: Privilege): string =>
      ['worker', 'supervisor', 'maintainer', 'owner', 'boss']
        .filter((role) =>
          invitationPolicy.allow('create', actorWith(privilege, organization), {
            ownerId: ME,
            inviteeId: null,
            role,
            organization,
          }),
        )
        .join(' ');
    expect(invited('user')).toBe(roles);
    expect(invited('worker')).toBe('');
    expect(invited('admin')).toBe('worker supervisor maintainer owner boss');
  });

  it('lists sent and received invitations, and for staff those of their organization', () => {
    const seen = (privilege: Privilege, organization: OrganizationFacts | null): string => {
      const actor = actorWith(privilege, organization);
      return invitationPolicy.mayList(actor) ? invitationPolicy.visible(actor).compile().text : 'refused';
    };
    const own = seen('none', null);
    expect(own.replaceAll(/\s+/g, ' ')).toBe(
      '(invitation.owner_id = $1 or membership.user_id = $2 and (membership.is_active or invitee.email_verified))',
    );
    expect(seen('user', as(null))).toBe('refused');
    expect(seen('user', as('supervisor'))).toBe(own);
    expect(seen('worker', as('maintainer'))).toBe(own);
    expect(seen('user', as('maintainer'))).toBe('true');
    expect(seen('user', OWNER)).toBe('true');
    expect(seen('admin', as(null))).toBe('true');
  });
});
