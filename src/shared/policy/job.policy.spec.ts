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
import { contextOrganization } from './actor.js';
import { type JobFacts, jobPolicy, type JobScope } from './job.policy.js';

const TASK_STAFF = ['task owner', 'task assignee', 'project owner', 'project assignee'];
const RELATIONS = ['job assignee', ...TASK_STAFF];
const SETS = { 'job assignee': ['job assignee'], 'task staff': TASK_STAFF, 'job staff': RELATIONS };

const facts = ({ relation, organization }: Situation): JobFacts => ({
  assigneeId: relation === 'job assignee' ? ME : null,
  task: {
    ownerId: relation === 'task owner' ? ME : OTHER,
    assigneeId: relation === 'task assignee' ? ME : null,
    project: {
      ownerId: relation === 'project owner' ? ME : OTHER,
      assigneeId: relation === 'project assignee' ? ME : null,
    },
    organization,
  },
});

const CROWD = 'G=worker & not a member & job assignee';
const CREATE: Row = {
  sandbox: 'G≥user & task staff',
  organization: 'G≥user & R≥maintainer / G≥user & R≥supervisor & task staff',
};
const EXPORT: Row = { sandbox: 'job staff', organization: 'G≥user & R≥maintainer / R≥worker & job staff' };
const VIEW: Row = { sandbox: 'job staff', organization: `${EXPORT.organization} / ${CROWD}` };
const WORK: Row = {
  sandbox: 'G≥worker & job staff',
  organization: `G≥user & R≥maintainer / G≥worker & R≥worker & job staff / ${CROWD}`,
};
/** Excludes the job's assignee. */
const MANAGE: Row = {
  sandbox: 'G≥worker & task staff',
  organization: 'G≥user & R≥maintainer / G≥worker & R≥worker & task staff',
};
const LAYOUT: Row = { sandbox: 'task staff', organization: 'G≥user & R≥maintainer / R≥worker & task staff' };

const ROWS: Readonly<Record<JobScope, Row>> = {
  create: CREATE,
  delete: CREATE,
  view: VIEW,
  export: EXPORT,
  'view:annotations': VIEW,
  'view:data': VIEW,
  'view:metadata': VIEW,
  'update:state': WORK,
  'update:annotations': WORK,
  'import:annotations': WORK,
  'update:metadata': WORK,
  'update:stage': MANAGE,
  'update:assignee': MANAGE,
  'view:validation_layout': LAYOUT,
  'update:validation_layout': LAYOUT,
};

const PEOPLE = ['job.assignee_id', 'task.owner_id', 'task.assignee_id', 'project.owner_id', 'project.assignee_id'];

describe('jobPolicy', () => {
  it.each(Object.entries(ROWS))('%s', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      jobPolicy.allow(scope as JobScope, situation.actor, facts(situation));
    expect(differences(row, RELATIONS, SETS, decide)).toEqual([]);
  });

  it.each([
    [actorWith('admin'), 'all'],
    [actorWith('none'), PEOPLE],
    [actorWith('user', { id: 5, ownerId: OTHER, role: 'owner' }), 'all'],
    [actorWith('worker', { id: 5, ownerId: OTHER, role: 'owner' }), PEOPLE],
    [actorWith('user', { id: 5, ownerId: OTHER, role: 'worker' }), PEOPLE],
  ])('lists what is visible (%#)', (actor, columns) => {
    expect(seenBy(jobPolicy.visible(actor), contextOrganization(actor)?.id)).toEqual(columns);
  });
});
