import { describe, expect, it } from '@jest/globals';
import { differences, ME, OTHER, type Row, type Situation } from '../../../test/support/policy-table.js';
import { type GuideFacts, guidePolicy, type GuideScope } from './guide.policy.js';

const TARGET_STAFF = ['owner', 'assignee'];
const RELATIONS = [...TARGET_STAFF, 'works in it'];
const SETS = { 'target staff': TARGET_STAFF, related: RELATIONS };

const facts = ({ relation, organization }: Situation): GuideFacts => ({
  ownerId: relation === 'owner' ? ME : OTHER,
  assigneeId: relation === 'assignee' ? ME : null,
  worksInIt: relation === 'works in it',
  organization,
});

const CHANGE: Row = {
  sandbox: 'G≥user & target staff',
  organization: 'G≥user & R≥maintainer / member & G≥user & target staff',
};

const ROWS: Readonly<Record<GuideScope, Row>> = {
  view: { sandbox: 'G≥worker & related', organization: 'G≥user & R≥maintainer / member & related' },
  create: CHANGE,
  update: CHANGE,
  delete: CHANGE,
};

describe('guidePolicy', () => {
  it.each(Object.entries(ROWS))('%s', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      guidePolicy.allow(scope as GuideScope, situation.actor, facts(situation));
    expect(differences(row, RELATIONS, SETS, decide, scope === 'create' ? 'request' : 'object')).toEqual([]);
  });
});
