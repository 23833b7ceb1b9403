import { type Actor, type OrganizationFacts, privilegeOf, type Role } from '#shared/policy/actor';
import { type CloudStorageFacts, cloudStoragePolicy } from '#shared/policy/cloudstorage.policy';
import { commentPolicy } from '#shared/policy/comment.policy';
import { type IssueFacts, issuePolicy } from '#shared/policy/issue.policy';
import { type JobFacts, jobPolicy } from '#shared/policy/job.policy';
import { organizationPolicy } from '#shared/policy/organization.policy';
import { type ProjectFacts, projectPolicy } from '#shared/policy/project.policy';
import { type People, type TaskFacts, taskPolicy } from '#shared/policy/task.policy';
import { qualityPolicy } from '#shared/policy/quality.policy';
import { webhookPolicy } from '#shared/policy/webhook.policy';

interface Person {
  readonly id: number;
}

export interface Owned {
  readonly owner?: Person | null;
  readonly assignee?: Person | null;
}

/** The user, and their role in the organization of the object in question. */
export interface Membership {
  readonly user: Person & { readonly username: string; readonly groups?: readonly string[] };
  readonly organization: { readonly id: number; readonly slug: string; readonly owner: Person | null } | null;
  /** The user's active role in the organization. */
  readonly role: Role | null;
}

/** The people around a job. Tasks and projects that the user cannot see are null. */
export interface JobContext extends Membership {
  readonly job: { readonly assignee: Person | null };
  readonly task: Owned | null;
  readonly project: Owned | null;
}

/** Permissions for a project, by the server's own rules. Buttons for what the server would refuse are not shown. */
export class ProjectRights {
  private readonly actor: Actor;
  private readonly project: ProjectFacts;

  constructor(membership: Membership, project: Owned) {
    this.actor = actorOf(membership);
    this.project = { ...peopleOf(project), organization: organizationOf(membership) };
  }

  get create(): boolean {
    return projectPolicy.allow('create', this.actor, this.project);
  }

  /** To create a task in the project, the user must also see the project. */
  get createTask(): boolean {
    const task = { ownerId: null, assigneeId: null, project: this.project, organization: this.project.organization };
    return (
      projectPolicy.allow('view', this.actor, this.project) && taskPolicy.allow('create@project', this.actor, task)
    );
  }

  get createWebhook(): boolean {
    const { ownerId, organization } = this.project;
    return webhookPolicy.allow('create@project', this.actor, { ownerId: null, projectOwnerId: ownerId, organization });
  }

  get change(): boolean {
    return projectPolicy.allow('update:desc', this.actor, this.project);
  }

  get changeAssignee(): boolean {
    return projectPolicy.allow('update:assignee', this.actor, this.project);
  }

  /** Includes viewing the reports. */
  get checkQuality(): boolean {
    return qualityPolicy.allow('create', this.actor, { kind: 'project', facts: this.project });
  }

  get viewActivity(): boolean {
    return projectPolicy.allow('view:activity', this.actor, this.project);
  }

  get importDataset(): boolean {
    return projectPolicy.allow('import:dataset', this.actor, this.project);
  }

  get delete(): boolean {
    return projectPolicy.allow('delete', this.actor, this.project);
  }
}

/** Permissions for a task. */
export class TaskRights {
  private readonly actor: Actor;
  private readonly facts: TaskFacts;

  constructor(membership: Membership, task: Owned, project: Owned | null) {
    this.actor = actorOf(membership);
    this.facts = factsOf(membership, task, project);
  }

  /** Includes uploading its data. */
  get change(): boolean {
    return taskPolicy.allow('update:desc', this.actor, this.facts);
  }

  get changeAssignee(): boolean {
    return taskPolicy.allow('update:assignee', this.actor, this.facts);
  }

  get importAnnotations(): boolean {
    return taskPolicy.allow('import:annotations', this.actor, this.facts);
  }

  /** Includes viewing the reports. */
  get checkQuality(): boolean {
    return qualityPolicy.allow('create', this.actor, { kind: 'task', facts: this.facts });
  }

  /** Includes viewing the agreement of the replicas. */
  get mergeReplicas(): boolean {
    return taskPolicy.allow('merge:replicas', this.actor, this.facts);
  }

  get addJob(): boolean {
    return jobPolicy.allow('create', this.actor, { assigneeId: null, task: this.facts });
  }

  get delete(): boolean {
    return taskPolicy.allow('delete', this.actor, this.facts);
  }
}

/** Permissions for a job and its issues. */
export class JobRights {
  private readonly actor: Actor;
  private readonly job: JobFacts;

  constructor({ job, task, project, ...membership }: JobContext) {
    this.actor = actorOf(membership);
    this.job = { assigneeId: job.assignee?.id ?? null, task: factsOf(membership, task, project) };
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

  /** Quality reports and their conflicts. */
  get viewQuality(): boolean {
    return qualityPolicy.allow('view', this.actor, { kind: 'task', facts: this.job.task });
  }

  get changeAnnotations(): boolean {
    return jobPolicy.allow('update:annotations', this.actor, this.job);
  }

  /** Includes restoring them. */
  get deleteFrames(): boolean {
    return jobPolicy.allow('update:metadata', this.actor, this.job);
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

/** Permissions for a cloud storage. */
export class CloudStorageRights {
  private readonly actor: Actor;
  private readonly facts: CloudStorageFacts;

  constructor(membership: Membership, storage: Pick<Owned, 'owner'>) {
    this.actor = actorOf(membership);
    this.facts = { ownerId: storage.owner?.id ?? null, organization: organizationOf(membership) };
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

/** Users of the group worker can have jobs in organizations that they are not a member of. */
export const isWorkerOnly = ({ groups = [] }: Membership['user']): boolean => privilegeOf(groups) === 'worker';

export const mayCreateOrganization = (user: Membership['user']): boolean =>
  organizationPolicy.allow('create', actorOf({ user, organization: null, role: null }), {
    ownerId: null,
    role: null,
    isKnown: false,
  });

export function mayCreateOrganizationWebhook(membership: Membership): boolean {
  const organization = organizationOf(membership);
  const facts = { ownerId: null, projectOwnerId: null, organization };
  return organization !== null && webhookPolicy.allow('create@organization', actorOf(membership), facts);
}

const peopleOf = (owned: Owned | null): People => ({
  ownerId: owned?.owner?.id ?? null,
  assigneeId: owned?.assignee?.id ?? null,
});

export const organizationOf = ({ organization, role }: Membership): OrganizationFacts | null =>
  organization === null ? null : { id: organization.id, ownerId: organization.owner?.id ?? null, role };

const factsOf = (membership: Membership, task: Owned | null, project: Owned | null): TaskFacts => ({
  ...peopleOf(task),
  project: project === null ? null : peopleOf(project),
  organization: organizationOf(membership),
});

export function actorOf(membership: Membership): Actor {
  const { user } = membership;
  const facts = organizationOf(membership);
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
    // New objects are created in the organization of their parent.
    context:
      facts === null
        ? { kind: 'sandbox' }
        : { kind: 'organization', slug: membership.organization?.slug ?? '', ...facts },
    baseUrl: '',
  };
}
