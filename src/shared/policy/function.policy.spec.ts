import { describe, expect, it } from '@jest/globals';
import {
  actorWith,
  differences,
  ME,
  OTHER,
  type Row,
  seenBy,
  type Situation,
} from '../../../test/support/policy-table.js';
import { type FunctionFacts, functionPolicy, type FunctionScope } from './function.policy.js';

const RELATIONS = ['owner', 'anyone'];
const SETS = { owner: ['owner'], public: ['anyone'] };

/** `anyone` is a stranger to a public function. */
const facts = ({ relation, organization }: Situation): FunctionFacts => ({
  ownerId: relation === 'owner' ? ME : OTHER,
  isPublic: relation === 'anyone',
  organization,
});

const VIEW: Row = { sandbox: 'owner / public', organization: 'member & owner / member & public / org staff' };
const CHANGE: Row = { sandbox: 'owner', organization: 'member & owner / G≥user & R≥maintainer' };

const ROWS: Readonly<Record<FunctionScope, Row>> = {
  list: { sandbox: 'any', organization: 'member' },
  create: { sandbox: 'G≥user', organization: 'G≥user & R≥supervisor' },
  publish: { sandbox: '–', organization: 'any' },
  view: VIEW,
  call: {
    sandbox: 'G≥worker & owner / G≥worker & public',
    organization: 'G≥worker & member & owner / G≥worker & member & public / G≥worker & org staff',
  },
  update: CHANGE,
  delete: CHANGE,
  serve: { sandbox: 'owner', organization: 'member & owner / R≥maintainer' },
};

describe('functionPolicy', () => {
  it.each(Object.entries(ROWS))('%s', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      functionPolicy.allow(scope as FunctionScope, situation.actor, facts(situation));
    expect(differences(row, RELATIONS, SETS, decide)).toEqual([]);
  });

  const organization = { id: 5, ownerId: OTHER } as const;
  const OWN = ['native_function.owner_id', 'membership.user_id'];
  it.each([
    [actorWith('admin'), 'all'],
    [actorWith('user'), OWN],
    [actorWith('worker', { ...organization, role: 'maintainer' }), 'all'],
    [actorWith('user', { ...organization, role: 'owner' }), OWN],
    [actorWith('user', { ...organization, role: 'supervisor' }), OWN],
  ])('lists what is visible (%#)', (actor, columns) => {
    expect(seenBy(functionPolicy.visible(actor))).toEqual(columns);
  });
});
