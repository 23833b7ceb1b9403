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
import { type ProjectFacts, projectPolicy, type ProjectScope } from './project.policy.js';

const RELATIONS = ['project owner', 'project assignee'];
const SETS = { 'project owner': ['project owner'], 'project staff': RELATIONS };

const facts = ({ relation, organization }: Situation): ProjectFacts => ({
  ownerId: relation === 'project owner' ? ME : OTHER,
  assigneeId: relation === 'project assignee' ? ME : null,
  organization,
});

const CREATE: Row = { sandbox: 'G≥user', organization: 'G≥user & R≥supervisor' };
const VIEW: Row = { sandbox: 'project staff', organization: 'G≥user & R≥maintainer / member & project staff' };
const DESCRIBE: Row = {
  sandbox: 'G≥worker & project staff',
  organization: 'G≥user & org staff / G≥worker & member & project staff',
};
const OWN: Row = {
  sandbox: 'G≥worker & project owner',
  organization: 'G≥user & org staff / G≥worker & member & project owner',
};

const ROWS: Readonly<Record<ProjectScope, Row>> = {
  create: CREATE,
  'import:backup': CREATE,
  view: VIEW,
  'view@request': VIEW,
  export: VIEW,
  'view:activity': DESCRIBE,
  'update:desc': DESCRIBE,
  'import:dataset': DESCRIBE,
  'update:assignee': OWN,
  'update:owner': { sandbox: '–', organization: 'G≥user & org staff / G≥worker & org staff & project owner' },
  'update:storages': OWN,
  'update:organization': OWN,
  delete: OWN,
};

describe('projectPolicy', () => {
  it.each(Object.entries(ROWS))('%s', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      projectPolicy.allow(scope as ProjectScope, situation.actor, facts(situation));
    expect(differences(row, RELATIONS, SETS, decide, scope === 'view@request' ? 'request' : 'object')).toEqual([]);
  });

  it.each([
    [actorWith('admin'), 'all'],
    [actorWith('user'), ['project.owner_id', 'project.assignee_id']],
    [actorWith('user', { id: 5, ownerId: OTHER, role: 'maintainer' }), 'all'],
    [actorWith('worker', { id: 5, ownerId: OTHER, role: 'maintainer' }), ['project.owner_id', 'project.assignee_id']],
    [actorWith('user', { id: 5, ownerId: OTHER, role: 'supervisor' }), ['project.owner_id', 'project.assignee_id']],
  ])('lists what is visible (%#)', (actor, columns) => {
    expect(seenBy(projectPolicy.visible(actor))).toEqual(columns);
  });
});
