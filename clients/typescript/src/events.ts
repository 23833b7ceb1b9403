// Made by "npm run openapi:client" of the part x-webhooks of openapi.json.
import type { components } from './schema.js';

type Schemas = components['schemas'];

/** What webhooks send, by the API version of the webhook (`api_version`) and the name of the event. */
export interface WebhookPayloads {
  '2.0': {
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[create:task]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[export:annotations]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[export:backup]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[export:dataset]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[import:annotations]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[import:backup]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[import:dataset]': Schemas['RequestCompletedEvent'];
    /** A comment is written. */
    'create:comment': Schemas['CommentCreatedEvent'];
    /** Somebody is invited; the membership is told of before. */
    'create:invitation': Schemas['InvitationCreatedEvent'];
    /** An issue is opened; its first comment is told of after it. */
    'create:issue': Schemas['IssueCreatedEvent'];
    /** A job is made: when the images of a task have been processed, or for ground truth. */
    'create:job': Schemas['JobCreatedEvent20'];
    /** Somebody is invited into an organization. */
    'create:membership': Schemas['MembershipCreatedEvent'];
    /** An organization is made; its owner is its first member. */
    'create:organization': Schemas['OrganizationCreatedEvent'];
    /** A project is made. */
    'create:project': Schemas['ProjectCreatedEvent20'];
    /** A task is made; it has no images yet. */
    'create:task': Schemas['TaskCreatedEvent20'];
    /** An account is made: by registration, for an invitation to an unknown address, or on the command line. */
    'create:user': Schemas['UserCreatedEvent'];
    /** A comment is deleted, also with its issue, job, task or project. */
    'delete:comment': Schemas['CommentDeletedEvent'];
    /** An invitation is withdrawn, declined, or goes with its membership or organization. */
    'delete:invitation': Schemas['InvitationDeletedEvent'];
    /** An issue is deleted, also with its job, task or project; its comments are told of before. */
    'delete:issue': Schemas['IssueDeletedEvent'];
    /** A job is deleted, also with its task or project. */
    'delete:job': Schemas['JobDeletedEvent20'];
    /** A member leaves or is removed, declines, or their account is deleted. */
    'delete:membership': Schemas['MembershipDeletedEvent'];
    /** An organization is deleted; its invitations are told of before, its memberships are not. */
    'delete:organization': Schemas['OrganizationDeletedEvent'];
    /** A project is deleted; what was in it is told of after it. */
    'delete:project': Schemas['ProjectDeletedEvent20'];
    /** A task is deleted, also with its project; what was in it is told of before. */
    'delete:task': Schemas['TaskDeletedEvent20'];
    /** An account is deleted; its memberships are told of before. */
    'delete:user': Schemas['UserDeletedEvent'];
    /** Annotations of a job or task were saved; lists the objects. */
    'update:annotations': Schemas['AnnotationsUpdatedEvent'];
    /** A comment is changed. */
    'update:comment': Schemas['CommentUpdatedEvent'];
    /** An issue is changed, resolved or reopened. */
    'update:issue': Schemas['IssueUpdatedEvent'];
    /** Stage, state or assignee of a job, or its annotations, change. */
    'update:job': Schemas['JobUpdatedEvent20'];
    /** An invitation is accepted, or the role of a member changes. */
    'update:membership': Schemas['MembershipUpdatedEvent'];
    /** An organization is changed, or gets another owner. */
    'update:organization': Schemas['OrganizationUpdatedEvent'];
    /** A project is changed, or something in it: its labels, guide, tasks or annotations. */
    'update:project': Schemas['ProjectUpdatedEvent20'];
    /** A task is changed, gets its images, or its labels, guide, annotations or jobs change; also when its status follows that of its jobs. */
    'update:task': Schemas['TaskUpdatedEvent20'];
    /** An account is changed, or completed by registration after an invitation. */
    'update:user': Schemas['UserUpdatedEvent'];
    /** Sent on demand to test a webhook. */
    ping: Schemas['PingEvent20'];
  };
  '2.1': {
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[create:task]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[export:annotations]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[export:backup]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[export:dataset]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[import:annotations]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[import:backup]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[import:dataset]': Schemas['RequestCompletedEvent'];
    /** A comment is written. */
    'create:comment': Schemas['CommentCreatedEvent'];
    /** Somebody is invited; the membership is told of before. */
    'create:invitation': Schemas['InvitationCreatedEvent'];
    /** An issue is opened; its first comment is told of after it. */
    'create:issue': Schemas['IssueCreatedEvent'];
    /** A job is made: when the images of a task have been processed, or for ground truth. */
    'create:job': Schemas['JobCreatedEvent'];
    /** Somebody is invited into an organization. */
    'create:membership': Schemas['MembershipCreatedEvent'];
    /** An organization is made; its owner is its first member. */
    'create:organization': Schemas['OrganizationCreatedEvent'];
    /** A project is made. */
    'create:project': Schemas['ProjectCreatedEvent'];
    /** A task is made; it has no images yet. */
    'create:task': Schemas['TaskCreatedEvent'];
    /** An account is made: by registration, for an invitation to an unknown address, or on the command line. */
    'create:user': Schemas['UserCreatedEvent'];
    /** A comment is deleted, also with its issue, job, task or project. */
    'delete:comment': Schemas['CommentDeletedEvent'];
    /** An invitation is withdrawn, declined, or goes with its membership or organization. */
    'delete:invitation': Schemas['InvitationDeletedEvent'];
    /** An issue is deleted, also with its job, task or project; its comments are told of before. */
    'delete:issue': Schemas['IssueDeletedEvent'];
    /** A job is deleted, also with its task or project. */
    'delete:job': Schemas['JobDeletedEvent'];
    /** A member leaves or is removed, declines, or their account is deleted. */
    'delete:membership': Schemas['MembershipDeletedEvent'];
    /** An organization is deleted; its invitations are told of before, its memberships are not. */
    'delete:organization': Schemas['OrganizationDeletedEvent'];
    /** A project is deleted; what was in it is told of after it. */
    'delete:project': Schemas['ProjectDeletedEvent'];
    /** A task is deleted, also with its project; what was in it is told of before. */
    'delete:task': Schemas['TaskDeletedEvent'];
    /** An account is deleted; its memberships are told of before. */
    'delete:user': Schemas['UserDeletedEvent'];
    /** Annotations of a job or task were saved; lists the objects. */
    'update:annotations': Schemas['AnnotationsUpdatedEvent'];
    /** A comment is changed. */
    'update:comment': Schemas['CommentUpdatedEvent'];
    /** An issue is changed, resolved or reopened. */
    'update:issue': Schemas['IssueUpdatedEvent'];
    /** Stage, state or assignee of a job, or its annotations, change. */
    'update:job': Schemas['JobUpdatedEvent'];
    /** An invitation is accepted, or the role of a member changes. */
    'update:membership': Schemas['MembershipUpdatedEvent'];
    /** An organization is changed, or gets another owner. */
    'update:organization': Schemas['OrganizationUpdatedEvent'];
    /** A project is changed, or something in it: its labels, guide, tasks or annotations. */
    'update:project': Schemas['ProjectUpdatedEvent'];
    /** A task is changed, gets its images, or its labels, guide, annotations or jobs change; also when its status follows that of its jobs. */
    'update:task': Schemas['TaskUpdatedEvent'];
    /** An account is changed, or completed by registration after an invitation. */
    'update:user': Schemas['UserUpdatedEvent'];
    /** Sent on demand to test a webhook. */
    ping: Schemas['PingEvent21'];
  };
  '2.2': {
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[create:task]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[export:annotations]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[export:backup]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[export:dataset]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[import:annotations]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[import:backup]': Schemas['RequestCompletedEvent'];
    /** A background request has ended; its `status` is finished or failed. */
    'completed:request[import:dataset]': Schemas['RequestCompletedEvent'];
    /** A comment is written. */
    'create:comment': Schemas['CommentCreatedEvent'];
    /** Somebody is invited; the membership is told of before. */
    'create:invitation': Schemas['InvitationCreatedEvent'];
    /** An issue is opened; its first comment is told of after it. */
    'create:issue': Schemas['IssueCreatedEvent'];
    /** A job is made: when the images of a task have been processed, or for ground truth. */
    'create:job': Schemas['JobCreatedEvent'];
    /** Somebody is invited into an organization. */
    'create:membership': Schemas['MembershipCreatedEvent'];
    /** An organization is made; its owner is its first member. */
    'create:organization': Schemas['OrganizationCreatedEvent'];
    /** A project is made. */
    'create:project': Schemas['ProjectCreatedEvent'];
    /** A task is made; it has no images yet. */
    'create:task': Schemas['TaskCreatedEvent'];
    /** An account is made: by registration, for an invitation to an unknown address, or on the command line. */
    'create:user': Schemas['UserCreatedEvent'];
    /** A comment is deleted, also with its issue, job, task or project. */
    'delete:comment': Schemas['CommentDeletedEvent'];
    /** An invitation is withdrawn, declined, or goes with its membership or organization. */
    'delete:invitation': Schemas['InvitationDeletedEvent'];
    /** An issue is deleted, also with its job, task or project; its comments are told of before. */
    'delete:issue': Schemas['IssueDeletedEvent'];
    /** A job is deleted, also with its task or project. */
    'delete:job': Schemas['JobDeletedEvent'];
    /** A member leaves or is removed, declines, or their account is deleted. */
    'delete:membership': Schemas['MembershipDeletedEvent'];
    /** An organization is deleted; its invitations are told of before, its memberships are not. */
    'delete:organization': Schemas['OrganizationDeletedEvent'];
    /** A project is deleted; what was in it is told of after it. */
    'delete:project': Schemas['ProjectDeletedEvent'];
    /** A task is deleted, also with its project; what was in it is told of before. */
    'delete:task': Schemas['TaskDeletedEvent'];
    /** An account is deleted; its memberships are told of before. */
    'delete:user': Schemas['UserDeletedEvent'];
    /** Annotations of a job or task were saved; lists the objects. */
    'update:annotations': Schemas['AnnotationsUpdatedEvent'];
    /** A comment is changed. */
    'update:comment': Schemas['CommentUpdatedEvent'];
    /** An issue is changed, resolved or reopened. */
    'update:issue': Schemas['IssueUpdatedEvent'];
    /** Stage, state or assignee of a job, or its annotations, change. */
    'update:job': Schemas['JobUpdatedEvent'];
    /** An invitation is accepted, or the role of a member changes. */
    'update:membership': Schemas['MembershipUpdatedEvent'];
    /** An organization is changed, or gets another owner. */
    'update:organization': Schemas['OrganizationUpdatedEvent'];
    /** A project is changed, or something in it: its labels, guide, tasks or annotations. */
    'update:project': Schemas['ProjectUpdatedEvent'];
    /** A task is changed, gets its images, or its labels, guide, annotations or jobs change; also when its status follows that of its jobs. */
    'update:task': Schemas['TaskUpdatedEvent'];
    /** An account is changed, or completed by registration after an invitation. */
    'update:user': Schemas['UserUpdatedEvent'];
    /** Sent on demand to test a webhook. */
    ping: Schemas['PingEvent'];
  };
}
