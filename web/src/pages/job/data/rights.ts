import { type Actor, type OrganizationFacts, privilegeOf, type Role } from '../../../../../src/policy/actor';
import { commentPolicy } from '../../../../../src/policy/comment.policy';
import { type IssueFacts, issuePolicy } from '../../../../../src/policy/issue.policy';
import { type JobFacts, jobPolicy } from '../../../../../src/policy/job.policy';
import type { People } from '../../../../../src/policy/task.policy';

interface Person {
  readonly id: number;
}

interface Owned {
  readonly owner?: Person | null;
  readonly assignee?: Person | null;
}

/** What the page knows of the people around a job. What somebody may not see they have no part in. */
export interface JobCircle {
  readonly user: Person & { readonly username: string; readonly groups?: readonly string[] };
  readonly job: { readonly assignee: Person | null };
  readonly task: Owned | null;
  readonly project: Owned | null;
  readonly organization: { readonly id: number; readonly slug: string; readonly owner: Person | null } | null;
  /** The user's active role in the organization. */
  readonly role: Role | null;
}

/** Who may do what on the page: the server's own rules, asked beforehand, so that no button is offered in vain. */
export class Rights {
  private readonly actor: Actor;
  private readonly job: JobFacts;

  constructor({ user, job, task, project, organization, role }: JobCircle) {
    const facts: OrganizationFacts | null =
      organization === null ? null : { id: organization.id, ownerId: organization.owner?.id ?? null, role };
    this.actor = {
      id: user.id,
      username: user.username,
      firstName: '',
      lastName: '',
      email: '',
      groups: user.groups ?? [],
      privilege: privilegeOf(user.groups ?? []),
      isStaff: false,
      isSuperuser: false,
      // What is added is asked for in the organization of the job, see `organizationHeader`.
      context:
        facts === null || organization === null
          ? { kind: 'sandbox' }
          : { kind: 'organization', slug: organization.slug, ...facts },
      baseUrl: '',
    };
    this.job = {
      assigneeId: job.assignee?.id ?? null,
      task: { ...peopleOf(task), project: project === null ? null : peopleOf(project), organization: facts },
    };
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

const peopleOf = (owned: Owned | null): People => ({
  ownerId: owned?.owner?.id ?? null,
  assigneeId: owned?.assignee?.id ?? null,
});
