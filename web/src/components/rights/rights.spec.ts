import {
  type JobContext,
  JobRights,
  mayCreateOrganization,
  type Membership,
  type Owned,
  ProjectRights,
  TaskRights,
} from './rights';

const user = { id: 1, username: 'anna', groups: ['worker'] };
const organization = { id: 9, slug: 'lab', owner: { id: 5 } };
const context: JobContext = {
  user,
  job: { assignee: null },
  task: null,
  project: null,
  organization: null,
  role: null,
};
const summary = (rights: JobRights) => ({
  state: rights.changeState,
  stage: rights.changeStage,
  assignee: rights.changeAssignee,
  issue: rights.openIssue,
});
const all = { state: true, stage: true, assignee: true, issue: true };

describe('JobRights', () => {
  it.each<[string, Partial<JobContext>, object]>([
    ['a stranger', {}, { state: false, stage: false, assignee: false, issue: false }],
    ['the assignee', { job: { assignee: user } }, { state: true, stage: false, assignee: false, issue: true }],
    ['the owner of the task', { task: { owner: user, assignee: null } }, all],
    ['the assignee of the project', { project: { owner: null, assignee: user } }, all],
    ['an administrator', { user: { ...user, groups: ['admin'] } }, all],
    [
      'a maintainer of the organization',
      { user: { ...user, groups: ['user'] }, organization, role: 'maintainer' },
      all,
    ],
    [
      'an assignee who left the organization',
      { user: { ...user, groups: ['user'] }, job: { assignee: user }, organization },
      { state: false, stage: false, assignee: false, issue: false },
    ],
  ])('%s', (_who, values, expected) => {
    expect(summary(new JobRights({ ...context, ...values }))).toEqual(expected);
  });

  it('lets the assignee of the job resolve issues, but only the owner of the issue or task delete them', () => {
    const rights = new JobRights({ ...context, job: { assignee: user } });
    const [own, other] = [
      { owner: user, assignee: null },
      { owner: { id: 2 }, assignee: null },
    ];
    expect([rights.changeIssue(own), rights.changeIssue(other), rights.comment(other)]).toEqual([true, true, true]);
    expect([rights.deleteIssue(own), rights.deleteIssue(other)]).toEqual([true, false]);
    expect(rights.deleteComment(other, { owner: { id: 2 } })).toBe(true);
  });
});

describe('TaskRights and ProjectRights', () => {
  const membership = { user: { ...user, groups: ['user'] }, organization: null, role: null };
  const mine = { owner: { id: 2 }, assignee: user };

  it('let the assignee of a task or project change it but not delete it', () => {
    const task = new TaskRights(membership, mine, null);
    expect([task.change, task.importAnnotations, task.addJob, task.changeAssignee, task.delete]).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    const project = new ProjectRights(membership, mine);
    expect([project.change, project.importDataset, project.changeAssignee, project.delete]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('do not let workers of an organization add jobs', () => {
    const worker = { user, organization, role: 'worker' as const };
    expect(new TaskRights(worker, { owner: user }, null).addJob).toBe(false);
    expect(new ProjectRights(worker, { owner: user }).delete).toBe(true);
  });

  it.each<[string, Membership, Owned, boolean]>([
    ['the owner, in the personal space', membership, { owner: user }, true],
    ['another user, in the personal space', membership, { owner: { id: 2 } }, false],
    ['a worker', { ...membership, user }, { owner: user }, false],
    ['the assignee, as a member of the organization', { ...membership, organization, role: 'worker' }, mine, true],
    ['the assignee, after leaving the organization', { ...membership, organization, role: null }, mine, false],
    [
      'a supervisor who is neither owner nor assignee',
      { ...membership, organization, role: 'supervisor' },
      { owner: { id: 2 } },
      false,
    ],
    ['a maintainer', { ...membership, organization, role: 'maintainer' }, { owner: { id: 2 } }, true],
    ['an administrator', { ...membership, user: { ...user, groups: ['admin'] } }, { owner: { id: 2 } }, true],
  ])('allow task creation in a project as the server does: %s', (_who, who, project, may) => {
    expect(new ProjectRights(who, project).createTask).toBe(may);
  });

  it.each<[string, Membership, Owned, boolean]>([
    ['the owner, in the personal space', membership, { owner: user }, true],
    ['the assignee, in the personal space', membership, mine, false],
    [
      'the owner, as a worker of the organization',
      { ...membership, organization, role: 'worker' },
      { owner: user },
      true,
    ],
    ['a supervisor', { ...membership, organization, role: 'supervisor' }, mine, false],
    ['a maintainer', { ...membership, organization, role: 'maintainer' }, mine, true],
  ])('allow the creation of webhooks for a project as the server does: %s', (_who, who, project, may) => {
    expect(new ProjectRights(who, project).createWebhook).toBe(may);
  });

  it('allow the creation of organizations to all but users of the group worker', () => {
    expect(['worker', 'user', 'admin'].map((group) => mayCreateOrganization({ ...user, groups: [group] }))).toEqual([
      false,
      true,
      true,
    ]);
  });
});
