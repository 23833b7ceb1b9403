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
import { type LambdaFacts, lambdaPolicy, type LambdaScope } from './lambda.policy.js';

const TASK_STAFF = ['task owner', 'task assignee', 'project owner', 'project assignee'];
const JOB_STAFF = ['job assignee', ...TASK_STAFF];

const task = ({ relation, organization }: Situation): LambdaFacts['task'] => ({
  ownerId: relation === 'task owner' ? ME : OTHER,
  assigneeId: relation === 'task assignee' ? ME : null,
  project: {
    ownerId: relation === 'project owner' ? ME : OTHER,
    assigneeId: relation === 'project assignee' ? ME : null,
  },
  organization,
});

const requesterId = ({ relation }: Situation): number => (relation === 'requester' ? ME : OTHER);

const ofTask = (situation: Situation): LambdaFacts => ({
  task: task(situation),
  job: null,
  requesterId: requesterId(situation),
});

const ofJob = (situation: Situation): LambdaFacts => ({
  ...ofTask(situation),
  job: { assigneeId: situation.relation === 'job assignee' ? ME : null, task: task(situation) },
});

const ANYBODY: Row = { sandbox: 'any', organization: 'any' };
const CALL: Row = {
  sandbox: 'G≥worker & staff',
  organization: 'G≥user & R≥maintainer / G≥worker & member & staff',
};
const CALL_IN_JOB: Row = {
  sandbox: CALL.sandbox,
  organization: `${CALL.organization} / G=worker & not a member & assigned`,
};
const withRequester = (row: Row): Row => ({
  sandbox: `${row.sandbox} / G≥worker & requester`,
  organization: `${row.organization} / G≥worker & requester`,
});

const rowsOf = (call: Row): Readonly<Record<LambdaScope, Row>> => ({
  'list:functions': ANYBODY,
  'view:functions': ANYBODY,
  'call:online': call,
  'call:offline': call,
  'view:request': withRequester(call),
  'cancel:request': withRequester(call),
});

describe('lambdaPolicy', () => {
  it.each(Object.entries(rowsOf(CALL)))('%s of a task', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      lambdaPolicy.allow(scope as LambdaScope, situation.actor, ofTask(situation));
    const sets = { staff: TASK_STAFF, requester: ['requester'] };
    expect(differences(row, [...TASK_STAFF, 'requester'], sets, decide)).toEqual([]);
  });

  it.each(Object.entries(rowsOf(CALL_IN_JOB)))('%s of a job', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      lambdaPolicy.allow(scope as LambdaScope, situation.actor, ofJob(situation));
    const sets = { staff: JOB_STAFF, assigned: ['job assignee'], requester: ['requester'] };
    expect(differences(row, [...JOB_STAFF, 'requester'], sets, decide)).toEqual([]);
  });

  it('lists the requests of tasks that the actor works on, and all of an organization for its staff', () => {
    const organization = { id: 5, ownerId: OTHER, role: 'maintainer' } as const;
    const staff = ['task.owner_id', 'task.assignee_id', 'project.owner_id', 'project.assignee_id'];
    expect([
      seenBy(lambdaPolicy.visible(actorWith('admin'))),
      seenBy(lambdaPolicy.visible(actorWith('user', organization))),
      seenBy(lambdaPolicy.visible(actorWith('worker', organization))),
      seenBy(lambdaPolicy.visible(actorWith('user'))),
    ]).toEqual(['all', 'all', staff, staff]);
    expect(lambdaPolicy.visible(actorWith('none')).compile().text).toBe('false');
  });
});
