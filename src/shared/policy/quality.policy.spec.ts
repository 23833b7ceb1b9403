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
import {
  inOrganizationOf,
  namedOrganization,
  qualityPolicy,
  type QualityReportScope,
  type QualityTarget,
} from './quality.policy.js';

const PROJECT_STAFF = ['project owner', 'project assignee'];
const TASK_STAFF = ['task owner', 'task assignee', ...PROJECT_STAFF];

const project = ({ relation, organization }: Situation) => ({
  ownerId: relation === 'project owner' ? ME : OTHER,
  assigneeId: relation === 'project assignee' ? ME : null,
  organization,
});

const taskTarget = (situation: Situation): QualityTarget => ({
  kind: 'task',
  facts: {
    ownerId: situation.relation === 'task owner' ? ME : OTHER,
    assigneeId: situation.relation === 'task assignee' ? ME : null,
    project: project(situation),
    organization: situation.organization,
  },
});

const projectTarget = (situation: Situation): QualityTarget => ({ kind: 'project', facts: project(situation) });

/** `staff`: of the task, or of the project. */
const ROW: Row = {
  sandbox: 'G≥worker & staff',
  organization: 'G≥user & R≥maintainer / G≥worker & member & staff',
};

const ROWS: Readonly<Record<QualityReportScope, Row>> = { create: ROW, view: ROW };

describe('qualityPolicy', () => {
  it.each(Object.entries(ROWS))('%s of a task', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      qualityPolicy.allow(scope as QualityReportScope, situation.actor, taskTarget(situation));
    expect(differences(row, TASK_STAFF, { staff: TASK_STAFF }, decide)).toEqual([]);
  });

  it.each(Object.entries(ROWS))('%s of a project', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      qualityPolicy.allow(scope as QualityReportScope, situation.actor, projectTarget(situation));
    expect(differences(row, PROJECT_STAFF, { staff: PROJECT_STAFF }, decide)).toEqual([]);
  });

  const people = ['task.owner_id', 'task.assignee_id', 'project.owner_id', 'project.assignee_id'];

  it.each([
    [actorWith('admin'), 'all'],
    [actorWith('user'), people],
    [actorWith('user', { id: 5, ownerId: OTHER, role: 'maintainer' }), 'all'],
    [actorWith('worker', { id: 5, ownerId: OTHER, role: 'owner' }), people],
    [actorWith('user', { id: 5, ownerId: OTHER, role: 'supervisor' }), people],
  ])('lists what is visible (%#)', (actor, columns) => {
    expect(seenBy(qualityPolicy.visible(actor))).toEqual(columns);
  });

  it('judges lists of one object in its organization, or only if the request names it', () => {
    const organization = { id: 5, ownerId: OTHER, role: 'maintainer' } as const;
    const actor = actorWith('user');
    expect(inOrganizationOf(actor, organization).context).toMatchObject({ kind: 'organization', id: 5 });
    expect(inOrganizationOf(actorWith('user', organization), null).context).toEqual({ kind: 'sandbox' });
    expect(namedOrganization(actor, organization)).toBeNull();
    expect(namedOrganization(actorWith('user', organization), organization)).toEqual(organization);
    expect(namedOrganization(actorWith('user', { ...organization, id: 6 }), organization)).toBeNull();
  });
});
