// Made by "npm run openapi:client" of the part x-webhooks of openapi.json.
import type { components } from './schema.js';

type Schemas = components['schemas'];

/** What webhooks send, by the API version of the webhook (`api_version`) and the name of the event. */
export interface WebhookPayloads {
  '2.0': {
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[autoannotate:task]': Schemas['RequestCompletedEvent20'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[calculate:agreement]': Schemas['RequestCompletedEvent20'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[calculate:quality]': Schemas['RequestCompletedEvent20'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[create:task]': Schemas['RequestCompletedEvent20'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[export:annotations]': Schemas['RequestCompletedEvent20'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[export:backup]': Schemas['RequestCompletedEvent20'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[export:dataset]': Schemas['RequestCompletedEvent20'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[export:events]': Schemas['RequestCompletedEvent20'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[import:annotations]': Schemas['RequestCompletedEvent20'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[import:backup]': Schemas['RequestCompletedEvent20'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[import:dataset]': Schemas['RequestCompletedEvent20'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[merge:job]': Schemas['RequestCompletedEvent20'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[merge:task]': Schemas['RequestCompletedEvent20'];
    /** A comment is created. */
    'create:comment': Schemas['CommentCreatedEvent'];
    /** A person is invited. The event of the membership is sent first. */
    'create:invitation': Schemas['InvitationCreatedEvent'];
    /** An issue is created. The event of its first comment follows. */
    'create:issue': Schemas['IssueCreatedEvent'];
    /** A job is created: when the data of a task is processed, or for ground truth. */
    'create:job': Schemas['JobCreatedEvent20'];
    /** A person is invited to an organization. */
    'create:membership': Schemas['MembershipCreatedEvent'];
    /** An organization is created, with its owner as the first member. */
    'create:organization': Schemas['OrganizationCreatedEvent'];
    /** A project is created. */
    'create:project': Schemas['ProjectCreatedEvent20'];
    /** A task is created; its data is uploaded later. */
    'create:task': Schemas['TaskCreatedEvent20'];
    /** An account is created: by registration, by inviting a new e-mail address, or on the command line. */
    'create:user': Schemas['UserCreatedEvent'];
    /** A comment is deleted, on its own or with its issue, job, task or project. */
    'delete:comment': Schemas['CommentDeletedEvent'];
    /** An invitation is revoked, declined, or deleted with its membership or organization. */
    'delete:invitation': Schemas['InvitationDeletedEvent'];
    /** An issue is deleted, on its own or with its job, task or project; the events of its comments are sent first. */
    'delete:issue': Schemas['IssueDeletedEvent'];
    /** A job is deleted, on its own or with its task or project. */
    'delete:job': Schemas['JobDeletedEvent20'];
    /** A member leaves, is removed or declines the invitation, or their account is deleted. */
    'delete:membership': Schemas['MembershipDeletedEvent'];
    /** An organization is deleted; the events of its invitations are sent first. No events are sent for its memberships. */
    'delete:organization': Schemas['OrganizationDeletedEvent'];
    /** A project is deleted; the events of its tasks and of everything in them follow. */
    'delete:project': Schemas['ProjectDeletedEvent20'];
    /** A task is deleted, on its own or with its project; the events of its jobs, issues and comments are sent first. */
    'delete:task': Schemas['TaskDeletedEvent20'];
    /** An account is deleted; the events of its memberships are sent first. */
    'delete:user': Schemas['UserDeletedEvent'];
    /** Annotations of a job or task are saved. The payload lists the changed objects. */
    'update:annotations': Schemas['AnnotationsUpdatedEvent20'];
    /** A comment is updated. */
    'update:comment': Schemas['CommentUpdatedEvent20'];
    /** An issue is updated, resolved or reopened. */
    'update:issue': Schemas['IssueUpdatedEvent20'];
    /** The stage, state, assignee or annotations of a job change. */
    'update:job': Schemas['JobUpdatedEvent20'];
    /** An invitation is accepted, or the role of a member changes. */
    'update:membership': Schemas['MembershipUpdatedEvent20'];
    /** An organization is updated or transferred. */
    'update:organization': Schemas['OrganizationUpdatedEvent20'];
    /** A project, its labels, guide, tasks or annotations change. */
    'update:project': Schemas['ProjectUpdatedEvent20'];
    /** A task, its data, labels, guide, annotations or jobs change, or its status changes because of its jobs. */
    'update:task': Schemas['TaskUpdatedEvent20'];
    /** An account is updated, or an invited user completes the registration. */
    'update:user': Schemas['UserUpdatedEvent20'];
    /** Sent on demand to test a webhook. */
    ping: Schemas['PingEvent20'];
  };
  '2.1': {
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[autoannotate:task]': Schemas['RequestCompletedEvent21'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[calculate:agreement]': Schemas['RequestCompletedEvent21'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[calculate:quality]': Schemas['RequestCompletedEvent21'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[create:task]': Schemas['RequestCompletedEvent21'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[export:annotations]': Schemas['RequestCompletedEvent21'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[export:backup]': Schemas['RequestCompletedEvent21'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[export:dataset]': Schemas['RequestCompletedEvent21'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[export:events]': Schemas['RequestCompletedEvent21'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[import:annotations]': Schemas['RequestCompletedEvent21'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[import:backup]': Schemas['RequestCompletedEvent21'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[import:dataset]': Schemas['RequestCompletedEvent21'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[merge:job]': Schemas['RequestCompletedEvent21'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[merge:task]': Schemas['RequestCompletedEvent21'];
    /** A comment is created. */
    'create:comment': Schemas['CommentCreatedEvent'];
    /** A person is invited. The event of the membership is sent first. */
    'create:invitation': Schemas['InvitationCreatedEvent'];
    /** An issue is created. The event of its first comment follows. */
    'create:issue': Schemas['IssueCreatedEvent'];
    /** A job is created: when the data of a task is processed, or for ground truth. */
    'create:job': Schemas['JobCreatedEvent'];
    /** A person is invited to an organization. */
    'create:membership': Schemas['MembershipCreatedEvent'];
    /** An organization is created, with its owner as the first member. */
    'create:organization': Schemas['OrganizationCreatedEvent'];
    /** A project is created. */
    'create:project': Schemas['ProjectCreatedEvent'];
    /** A task is created; its data is uploaded later. */
    'create:task': Schemas['TaskCreatedEvent'];
    /** An account is created: by registration, by inviting a new e-mail address, or on the command line. */
    'create:user': Schemas['UserCreatedEvent'];
    /** A comment is deleted, on its own or with its issue, job, task or project. */
    'delete:comment': Schemas['CommentDeletedEvent'];
    /** An invitation is revoked, declined, or deleted with its membership or organization. */
    'delete:invitation': Schemas['InvitationDeletedEvent'];
    /** An issue is deleted, on its own or with its job, task or project; the events of its comments are sent first. */
    'delete:issue': Schemas['IssueDeletedEvent'];
    /** A job is deleted, on its own or with its task or project. */
    'delete:job': Schemas['JobDeletedEvent'];
    /** A member leaves, is removed or declines the invitation, or their account is deleted. */
    'delete:membership': Schemas['MembershipDeletedEvent'];
    /** An organization is deleted; the events of its invitations are sent first. No events are sent for its memberships. */
    'delete:organization': Schemas['OrganizationDeletedEvent'];
    /** A project is deleted; the events of its tasks and of everything in them follow. */
    'delete:project': Schemas['ProjectDeletedEvent'];
    /** A task is deleted, on its own or with its project; the events of its jobs, issues and comments are sent first. */
    'delete:task': Schemas['TaskDeletedEvent'];
    /** An account is deleted; the events of its memberships are sent first. */
    'delete:user': Schemas['UserDeletedEvent'];
    /** Annotations of a job or task are saved. The payload lists the changed objects. */
    'update:annotations': Schemas['AnnotationsUpdatedEvent'];
    /** A comment is updated. */
    'update:comment': Schemas['CommentUpdatedEvent'];
    /** An issue is updated, resolved or reopened. */
    'update:issue': Schemas['IssueUpdatedEvent'];
    /** The stage, state, assignee or annotations of a job change. */
    'update:job': Schemas['JobUpdatedEvent'];
    /** An invitation is accepted, or the role of a member changes. */
    'update:membership': Schemas['MembershipUpdatedEvent'];
    /** An organization is updated or transferred. */
    'update:organization': Schemas['OrganizationUpdatedEvent'];
    /** A project, its labels, guide, tasks or annotations change. */
    'update:project': Schemas['ProjectUpdatedEvent'];
    /** A task, its data, labels, guide, annotations or jobs change, or its status changes because of its jobs. */
    'update:task': Schemas['TaskUpdatedEvent'];
    /** An account is updated, or an invited user completes the registration. */
    'update:user': Schemas['UserUpdatedEvent'];
    /** Sent on demand to test a webhook. */
    ping: Schemas['PingEvent21'];
  };
  '2.2': {
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[autoannotate:task]': Schemas['RequestCompletedEvent'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[calculate:agreement]': Schemas['RequestCompletedEvent'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[calculate:quality]': Schemas['RequestCompletedEvent'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[create:task]': Schemas['RequestCompletedEvent'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[export:annotations]': Schemas['RequestCompletedEvent'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[export:backup]': Schemas['RequestCompletedEvent'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[export:dataset]': Schemas['RequestCompletedEvent'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[export:events]': Schemas['RequestCompletedEvent'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[import:annotations]': Schemas['RequestCompletedEvent'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[import:backup]': Schemas['RequestCompletedEvent'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[import:dataset]': Schemas['RequestCompletedEvent'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[merge:job]': Schemas['RequestCompletedEvent'];
    /** A background request has finished or failed, as its `status` shows. */
    'completed:request[merge:task]': Schemas['RequestCompletedEvent'];
    /** A comment is created. */
    'create:comment': Schemas['CommentCreatedEvent'];
    /** A person is invited. The event of the membership is sent first. */
    'create:invitation': Schemas['InvitationCreatedEvent'];
    /** An issue is created. The event of its first comment follows. */
    'create:issue': Schemas['IssueCreatedEvent'];
    /** A job is created: when the data of a task is processed, or for ground truth. */
    'create:job': Schemas['JobCreatedEvent'];
    /** A person is invited to an organization. */
    'create:membership': Schemas['MembershipCreatedEvent'];
    /** An organization is created, with its owner as the first member. */
    'create:organization': Schemas['OrganizationCreatedEvent'];
    /** A project is created. */
    'create:project': Schemas['ProjectCreatedEvent'];
    /** A task is created; its data is uploaded later. */
    'create:task': Schemas['TaskCreatedEvent'];
    /** An account is created: by registration, by inviting a new e-mail address, or on the command line. */
    'create:user': Schemas['UserCreatedEvent'];
    /** A comment is deleted, on its own or with its issue, job, task or project. */
    'delete:comment': Schemas['CommentDeletedEvent'];
    /** An invitation is revoked, declined, or deleted with its membership or organization. */
    'delete:invitation': Schemas['InvitationDeletedEvent'];
    /** An issue is deleted, on its own or with its job, task or project; the events of its comments are sent first. */
    'delete:issue': Schemas['IssueDeletedEvent'];
    /** A job is deleted, on its own or with its task or project. */
    'delete:job': Schemas['JobDeletedEvent'];
    /** A member leaves, is removed or declines the invitation, or their account is deleted. */
    'delete:membership': Schemas['MembershipDeletedEvent'];
    /** An organization is deleted; the events of its invitations are sent first. No events are sent for its memberships. */
    'delete:organization': Schemas['OrganizationDeletedEvent'];
    /** A project is deleted; the events of its tasks and of everything in them follow. */
    'delete:project': Schemas['ProjectDeletedEvent'];
    /** A task is deleted, on its own or with its project; the events of its jobs, issues and comments are sent first. */
    'delete:task': Schemas['TaskDeletedEvent'];
    /** An account is deleted; the events of its memberships are sent first. */
    'delete:user': Schemas['UserDeletedEvent'];
    /** Annotations of a job or task are saved. The payload lists the changed objects. */
    'update:annotations': Schemas['AnnotationsUpdatedEvent'];
    /** A comment is updated. */
    'update:comment': Schemas['CommentUpdatedEvent'];
    /** An issue is updated, resolved or reopened. */
    'update:issue': Schemas['IssueUpdatedEvent'];
    /** The stage, state, assignee or annotations of a job change. */
    'update:job': Schemas['JobUpdatedEvent'];
    /** An invitation is accepted, or the role of a member changes. */
    'update:membership': Schemas['MembershipUpdatedEvent'];
    /** An organization is updated or transferred. */
    'update:organization': Schemas['OrganizationUpdatedEvent'];
    /** A project, its labels, guide, tasks or annotations change. */
    'update:project': Schemas['ProjectUpdatedEvent'];
    /** A task, its data, labels, guide, annotations or jobs change, or its status changes because of its jobs. */
    'update:task': Schemas['TaskUpdatedEvent'];
    /** An account is updated, or an invited user completes the registration. */
    'update:user': Schemas['UserUpdatedEvent'];
    /** Sent on demand to test a webhook. */
    ping: Schemas['PingEvent'];
  };
}
