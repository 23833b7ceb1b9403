import { describe, expect, it } from '@jest/globals';
import { sql } from '../../engines/sql/sql.js';
import {
  actorWith,
  differences,
  ME,
  OTHER,
  type Row,
  seenBy,
  type Situation,
} from '../../../test/support/policy-table.js';
import { type CommentFacts, commentPolicy, type CommentScope } from './comment.policy.js';
import { type IssueFacts, issuePolicy, type IssueScope, visibleInJob } from './issue.policy.js';

const TASK_STAFF = ['task owner', 'task assignee', 'project owner', 'project assignee'];
const JOB_STAFF = ['job assignee', ...TASK_STAFF];
const ISSUE_STAFF = ['issue owner', 'issue assignee', ...JOB_STAFF];
const COMMENT_STAFF = ['comment owner', ...ISSUE_STAFF];
const SETS = {
  'job staff': JOB_STAFF,
  'issue admin': ['issue owner', ...TASK_STAFF],
  'issue staff': ISSUE_STAFF,
  'comment staff': COMMENT_STAFF,
};

const issueFacts = ({ relation, organization }: Situation): IssueFacts => ({
  ownerId: relation === 'issue owner' ? ME : OTHER,
  assigneeId: relation === 'issue assignee' ? ME : null,
  job: {
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
  },
});

const commentFacts = (situation: Situation): CommentFacts => ({
  ownerId: situation.relation === 'comment owner' ? ME : OTHER,
  issue: issueFacts(situation),
});

/** Users with `related`; changes also require a group. */
const rowFor = (related: string, group: boolean): Row => ({
  sandbox: group ? `G≥worker & ${related}` : related,
  organization: `G≥user & R≥maintainer / ${group ? 'G≥worker & ' : ''}member & ${related}`,
});

const ISSUE_ROWS: Readonly<Record<IssueScope, Row>> = {
  'create@job': rowFor('job staff', true),
  view: rowFor('issue staff', false),
  update: rowFor('issue staff', true),
  delete: rowFor('issue admin', true),
};

const COMMENT_ROWS: Readonly<Record<CommentScope, Row>> = {
  'create@issue': rowFor('issue staff', true),
  view: rowFor('comment staff', false),
  update: rowFor('comment staff', true),
  delete: rowFor('comment staff', true),
};

const PEOPLE = [
  'issue.owner_id',
  'issue.assignee_id',
  'job.assignee_id',
  'task.owner_id',
  'task.assignee_id',
  'project.owner_id',
  'project.assignee_id',
];

const MAINTAINED = { id: 5, ownerId: OTHER, role: 'maintainer' } as const;

describe('issuePolicy', () => {
  it.each(Object.entries(ISSUE_ROWS))('%s', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      issuePolicy.allow(scope as IssueScope, situation.actor, issueFacts(situation));
    expect(differences(row, ISSUE_STAFF, SETS, decide, scope === 'create@job' ? 'request' : 'object')).toEqual([]);
  });

  it.each([
    [actorWith('admin'), 'all'],
    [actorWith('user'), PEOPLE],
    [actorWith('user', MAINTAINED), 'all'],
    [actorWith('worker', MAINTAINED), PEOPLE],
  ])('lists what is visible (%#)', (actor, columns) => {
    expect(seenBy(issuePolicy.visible(actor))).toEqual(columns);
  });

  it('shows maintainers the issues of a job that the request names', () => {
    expect(visibleInJob(actorWith('user'), sql`false`).compile().text).toContain('membership');
    expect(visibleInJob(actorWith('worker'), sql`false`).compile().text).toBe('false');
  });
});

describe('commentPolicy', () => {
  it.each(Object.entries(COMMENT_ROWS))('%s', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      commentPolicy.allow(scope as CommentScope, situation.actor, commentFacts(situation));
    const relations = scope === 'create@issue' ? ISSUE_STAFF : COMMENT_STAFF;
    expect(differences(row, relations, SETS, decide, scope === 'create@issue' ? 'request' : 'object')).toEqual([]);
  });

  it('lists what is visible', () => {
    expect(seenBy(commentPolicy.visible(actorWith('user')))).toEqual(['comment.owner_id', ...PEOPLE]);
    expect(seenBy(commentPolicy.visible(actorWith('user', MAINTAINED)))).toBe('all');
    expect(seenBy(commentPolicy.visible(actorWith('admin')))).toBe('all');
  });
});
