import { type JobCircle, JobRights, type Owned, ProjectRights, type Standing, TaskRights } from './rights';

const user = { id: 1, username: 'anna', groups: ['worker'] };
const organization = { id: 9, slug: 'lab', owner: { id: 5 } };
const circle: JobCircle = { user, job: { assignee: null }, task: null, project: null, organization: null, role: null };
const summary = (rights: JobRights) => ({
  state: rights.changeState,
  stage: rights.changeStage,
  assignee: rights.changeAssignee,
  issue: rights.openIssue,
});
const all = { state: true, stage: true, assignee: true, issue: true };

describe('JobRights', () => {
  it.each<[string, Partial<JobCircle>, object]>([
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
      'an assignee who has left the organization',
      { user: { ...user, groups: ['user'] }, job: { assignee: user }, organization },
      { state: false, stage: false, assignee: false, issue: false },
    ],
  ])('%s', (_who, values, expected) => {
    expect(summary(new JobRights({ ...circle, ...values }))).toEqual(expected);
  });

  it('lets the assignee of the job resolve, and only the owner of an issue or of the task delete it', () => {
    const rights = new JobRights({ ...circle, job: { assignee: user } });
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
  const standing = { user: { ...user, groups: ['user'] }, organization: null, role: null };
  const mine = { owner: { id: 2 }, assignee: user };

  it('let the assignee of a task or project change but not delete it', () => {
    const task = new TaskRights(standing, mine, null);
    expect([task.change, task.importAnnotations, task.addJob, task.changeAssignee, task.delete]).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    const project = new ProjectRights(standing, mine);
    expect([project.change, project.importDataset, project.changeAssignee, project.delete]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('let workers of an organization add no job', () => {
    const worker = { user, organization, role: 'worker' as const };
    expect(new TaskRights(worker, { owner: user }, null).addJob).toBe(false);
    expect(new ProjectRights(worker, { owner: user }).delete).toBe(true);
  });

  it.each<[string, Standing, Owned, boolean]>([
    ['an owner of the personal space', standing, { owner: user }, true],
    ['somebody else there', standing, { owner: { id: 2 } }, false],
    ['a worker', { ...standing, user }, { owner: user }, false],
    ['a member of the organization whose project it is', { ...standing, organization, role: 'worker' }, mine, true],
    ['one who has left', { ...standing, organization, role: null }, mine, false],
    [
      'a supervisor who has no part in it',
      { ...standing, organization, role: 'supervisor' },
      { owner: { id: 2 } },
      false,
    ],
    ['a maintainer', { ...standing, organization, role: 'maintainer' }, { owner: { id: 2 } }, true],
    ['an administrator', { ...standing, user: { ...user, groups: ['admin'] } }, { owner: { id: 2 } }, true],
  ])('let %s make a task in a project or not, as the server does', (_who, who, project, may) => {
    expect(new ProjectRights(who, project).createTask).toBe(may);
  });
});
