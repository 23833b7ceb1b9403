import { type Actor, type OrganizationFacts, privilegeOf, type Role } from '#shared/policy/actor';
import { type CloudStorageFacts, cloudStoragePolicy } from '#shared/policy/cloudstorage.policy';
import { commentPolicy } from '#shared/policy/comment.policy';
import { type IssueFacts, issuePolicy } from '#shared/policy/issue.policy';
import { type JobFacts, jobPolicy } from '#shared/policy/job.policy';
import { type ProjectFacts, projectPolicy } from '#shared/policy/project.policy';
import { type People, type TaskFacts, taskPolicy } from '#shared/policy/task.policy';
import { webhookPolicy } from '#shared/policy/webhook.policy';

interface Person {
  readonly id: number;
}

export interface Owned {
  readonly owner?: Person | null;
  readonly assignee?: Person | null;
}

/** Who asks, and where they stand in the organization of what they look at. */
export interface Standing {
  readonly user: Person & { readonly username: string; readonly groups?: readonly string[] };
  readonly organization: { readonly id: number; readonly slug: string; readonly owner: Person | null } | null;
  /** The user's active role in the organization. */
  readonly role: Role | null;
}

/** What is known of the people around a job. What somebody may not see they have no part in. */
export interface JobCircle extends Standing {
  readonly job: { readonly assignee: Person | null };
  readonly task: Owned | null;
  readonly project: Owned | null;
}

/** Who may do what with a project: the server's own rules, asked beforehand, so that no button is offered in vain. */
export class ProjectRights {
  private readonly actor: Actor;
  private readonly project: ProjectFacts;

  constructor(standing: Standing, project: Owned) {
    this.actor = actorOf(standing);
    this.project = { ...peopleOf(project), organization: organizationOf(standing) };
  }

  get create(): boolean {
    return projectPolicy.allow('create', this.actor, this.project);
  }

  /** A task in it: whoever may make tasks there must see the project, too. */
  get createTask(): boolean {
    const task = { ownerId: null, assigneeId: null, project: this.project, organization: this.project.organization };
    return (
      projectPolicy.allow('view', this.actor, this.project) && taskPolicy.allow('create@project', this.actor, task)
    );
  }

  get change(): boolean {
    return projectPolicy.allow('update:desc', this.actor, this.project);
  }

  get changeAssignee(): boolean {
    return projectPolicy.allow('update:assignee', this.actor, this.project);
  }

  get importDataset(): boolean {
    return projectPolicy.allow('import:dataset', this.actor, this.project);
  }

  get delete(): boolean {
    return projectPolicy.allow('delete', this.actor, this.project);
  }
}

/** The same of a task. */
export class TaskRights {
  private readonly actor: Actor;
  private readonly facts: TaskFacts;

  constructor(standing: Standing, task: Owned, project: Owned | null) {
    this.actor = actorOf(standing);
    this.facts = factsOf(standing, task, project);
  }

  /** Also to send its data. */
  get change(): boolean {
    return taskPolicy.allow('update:desc', this.actor, this.facts);
  }

  get changeAssignee(): boolean {
    return taskPolicy.allow('update:assignee', this.actor, this.facts);
  }

  get importAnnotations(): boolean {
    return taskPolicy.allow('import:annotations', this.actor, this.facts);
  }

  get addJob(): boolean {
    return jobPolicy.allow('create', this.actor, { assigneeId: null, task: this.facts });
  }

  get delete(): boolean {
    return taskPolicy.allow('delete', this.actor, this.facts);
  }
}

/** The same of a job, and of the issues in it. */
export class JobRights {
  private readonly actor: Actor;
  private readonly job: JobFacts;

  constructor({ job, task, project, ...standing }: JobCircle) {
    this.actor = actorOf(standing);
    this.job = { assigneeId: job.assignee?.id ?? null, task: factsOf(standing, task, project) };
  }

  get changeState(): boolean {
    return jobPolicy.allow('update:state', this.actor, this.job);
  }

  get changeStage(): boolean {
    return jobPolicy.allow('update:stage', this.actor, this.job);
  }

  get changeAssignee(): boolean {
    return jobPolicy.allow('update:assignee', this.actor, this.job);
  }

  get export(): boolean {
    return jobPolicy.allow('export', this.actor, this.job);
  }

  get importAnnotations(): boolean {
    return jobPolicy.allow('import:annotations', this.actor, this.job);
  }

  get delete(): boolean {
    return jobPolicy.allow('delete', this.actor, this.job);
  }

  get openIssue(): boolean {
    return issuePolicy.allow('create@job', this.actor, { ownerId: null, assigneeId: null, job: this.job });
  }

  changeIssue(issue: Owned): boolean {
    return issuePolicy.allow('update', this.actor, this.issue(issue));
  }

  deleteIssue(issue: Owned): boolean {
    return issuePolicy.allow('delete', this.actor, this.issue(issue));
  }

  comment(issue: Owned): boolean {
    return commentPolicy.allow('create@issue', this.actor, { ownerId: null, issue: this.issue(issue) });
  }

  deleteComment(issue: Owned, comment: Owned): boolean {
    const facts = { ownerId: comment.owner?.id ?? null, issue: this.issue(issue) };
    return commentPolicy.allow('delete', this.actor, facts);
  }

  private issue(issue: Owned): IssueFacts {
    return { ...peopleOf(issue), job: this.job };
  }
}

/** The same of a cloud storage. */
export class CloudStorageRights {
  private readonly actor: Actor;
  private readonly facts: CloudStorageFacts;

  constructor(standing: Standing, storage: Pick<Owned, 'owner'>) {
    this.actor = actorOf(standing);
    this.facts = { ownerId: storage.owner?.id ?? null, organization: organizationOf(standing) };
  }

  get create(): boolean {
    return cloudStoragePolicy.allow('create', this.actor, this.facts);
  }

  get change(): boolean {
    return cloudStoragePolicy.allow('update', this.actor, this.facts);
  }

  get delete(): boolean {
    return cloudStoragePolicy.allow('delete', this.actor, this.facts);
  }
}

/** The group of those who may be given jobs of organizations that they are no member of, and so cannot work in. */
export const isWorkerOnly = ({ groups = [] }: Standing['user']): boolean => privilegeOf(groups) === 'worker';

export function mayCreateOrganizationWebhook(standing: Standing): boolean {
  const organization = organizationOf(standing);
  const facts = { ownerId: null, projectOwnerId: null, organization };
  return organization !== null && webhookPolicy.allow('create@organization', actorOf(standing), facts);
}

const peopleOf = (owned: Owned | null): People => ({
  ownerId: owned?.owner?.id ?? null,
  assigneeId: owned?.assignee?.id ?? null,
});

const organizationOf = ({ organization, role }: Standing): OrganizationFacts | null =>
  organization === null ? null : { id: organization.id, ownerId: organization.owner?.id ?? null, role };

const factsOf = (standing: Standing, task: Owned | null, project: Owned | null): TaskFacts => ({
  ...peopleOf(task),
  project: project === null ? null : peopleOf(project),
  organization: organizationOf(standing),
});

function actorOf(standing: Standing): Actor {
  const { user } = standing;
  const facts = organizationOf(standing);
  return {
    id: user.id,
    username: user.username,
    firstName: '',
    lastName: '',
    email: '',
    groups: user.groups ?? [],
    privilege: privilegeOf(user.groups ?? []),
    isStaff: false,
    isSuperuser: false,
    // What is added is asked for in the organization of its parent, see `organizationHeader`.
    context:
      facts === null
        ? { kind: 'sandbox' }
        : { kind: 'organization', slug: standing.organization?.slug ?? '', ...facts },
    baseUrl: '',
  };
}
