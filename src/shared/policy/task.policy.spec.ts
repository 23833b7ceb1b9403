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
import { type TaskFacts, taskPolicy, type TaskScope } from './task.policy.js';

const RELATIONS = ['task owner', 'task assignee', 'project owner', 'project assignee'];
const SETS = {
  'task owner': ['task owner'],
  'project owner': ['project owner'],
  'project staff': ['project owner', 'project assignee'],
  'task staff': RELATIONS,
};

const facts = ({ relation, organization }: Situation): TaskFacts => ({
  ownerId: relation === 'task owner' ? ME : OTHER,
  assigneeId: relation === 'task assignee' ? ME : null,
  project: {
    ownerId: relation === 'project owner' ? ME : OTHER,
    assigneeId: relation === 'project assignee' ? ME : null,
  },
  organization,
});

const CREATE: Row = { sandbox: 'G≥user', organization: 'G≥user & R≥supervisor' };
const VIEW: Row = { sandbox: 'task staff', organization: 'G≥user & R≥maintainer / R≥worker & task staff' };
const WORK: Row = {
  sandbox: 'G≥worker & task staff',
  organization: 'G≥user & R≥maintainer / G≥worker & R≥worker & task staff',
};
/** Excludes users who are only the task's assignee. */
const MANAGE: Row = {
  sandbox: 'G≥worker & task owner / G≥worker & project staff',
  organization: 'G≥user & R≥maintainer / G≥worker & R≥worker & task owner / G≥worker & R≥worker & project staff',
};

const ROWS: Readonly<Record<TaskScope, Row>> = {
  create: CREATE,
  'import:backup': CREATE,
  'create@project': {
    sandbox: 'G≥user & project staff',
    organization: 'G≥user & R≥supervisor / G≥user & member & project staff',
  },
  view: VIEW,
  'view:annotations': VIEW,
  'view:data': VIEW,
  'view:metadata': VIEW,
  'view:validation_layout': VIEW,
  export: VIEW,
  'update:desc': WORK,
  'update:annotations': WORK,
  'import:annotations': WORK,
  'upload:data': WORK,
  'update:metadata': WORK,
  'update:validation_layout': WORK,
  'merge:replicas': WORK,
  'view:agreement': WORK,
  'update:owner': MANAGE,
  'update:assignee': MANAGE,
  'update:project': MANAGE,
  'update:organization': MANAGE,
  delete: MANAGE,
  'update:storages': {
    sandbox: 'G≥worker & task owner / G≥worker & project owner',
    organization: 'G≥user & R≥maintainer / G≥worker & R≥worker & task owner / G≥worker & R≥worker & project owner',
  },
};

const PEOPLE = ['task.owner_id', 'task.assignee_id', 'project.owner_id', 'project.assignee_id'];

describe('taskPolicy', () => {
  it.each(Object.entries(ROWS))('%s', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      taskPolicy.allow(scope as TaskScope, situation.actor, facts(situation));
    expect(differences(row, RELATIONS, SETS, decide)).toEqual([]);
  });

  it('supports tasks without a project', () => {
    const alone = { ownerId: OTHER, assigneeId: null, project: null, organization: null };
    expect(taskPolicy.allow('view', actorWith('user'), alone)).toBe(false);
    expect(taskPolicy.allow('view', actorWith('none'), { ...alone, assigneeId: ME })).toBe(true);
  });

  it.each([
    [actorWith('admin'), 'all'],
    [actorWith('user'), PEOPLE],
    [actorWith('user', { id: 5, ownerId: OTHER, role: 'maintainer' }), 'all'],
    [actorWith('worker', { id: 5, ownerId: OTHER, role: 'owner' }), PEOPLE],
    [actorWith('user', { id: 5, ownerId: OTHER, role: 'supervisor' }), PEOPLE],
  ])('lists what is visible (%#)', (actor, columns) => {
    expect(seenBy(taskPolicy.visible(actor))).toEqual(columns);
  });
});
