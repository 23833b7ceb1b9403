import { IdempotencyKeyEntity } from './core/idempotency/idempotency-key.entity.js';
import { InstallationEntity } from './core/installation.entity.js';
import { OutboxEventEntity, OutboxPendingEntity } from './core/events/outbox.entity.js';
import {
  AnnotationHeadEntity,
  RevisionEntity,
  RevisionPartEntity,
} from './modules/annotations/history/revision.entity.js';
import {
  IntervalEntity,
  RemovedIntervalEntity,
  RemovedShapeEntity,
  RemovedTagEntity,
  RemovedTrackedShapeEntity,
  RemovedTrackEntity,
  ShapeEntity,
  TagEntity,
  TrackedShapeEntity,
  TrackEntity,
} from './modules/annotations/annotation.entity.js';
import { AccessTokenEntity, ApiTokenEntity, SessionEntity } from './modules/auth/auth.entity.js';
import { CloudStorageEntity } from './modules/cloudstorages/cloud-storage.entity.js';
import { CommentEntity } from './modules/comments/comment.entity.js';
import { AssetEntity, GuideEntity } from './modules/guides/guide.entity.js';
import { InspectArrivalEntity, InspectBoxEntity } from './modules/inspect/inspect.entity.js';
import { InvitationEntity } from './modules/invitations/invitation.entity.js';
import { IssueEntity } from './modules/issues/issue.entity.js';
import { JobEntity, SegmentEntity } from './modules/jobs/job.entity.js';
import { AttributeSpecEntity, LabelEntity } from './modules/labels/label.entity.js';
import { MediaDataEntity, MediaFrameEntity, MediaUploadEntity } from './modules/media/media.entity.js';
import { MembershipEntity } from './modules/memberships/membership.entity.js';
import { PresenceEntity } from './modules/presence/presence.entity.js';
import { OrganizationEntity } from './modules/organizations/organization.entity.js';
import { ProjectEntity } from './modules/projects/project.entity.js';
import { BackgroundRequestEntity } from './modules/requests/background-request.entity.js';
import { StorageEntity } from './modules/storages/storage.entity.js';
import { TaskEntity } from './modules/tasks/task.entity.js';
import { UserEntity } from './modules/users/user.entity.js';
import {
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
  WebhookLeaseHolderEntity,
  WebhookPayloadEntity,
} from './modules/webhooks/log/webhook-delivery.entity.js';
import { WebhookEntity } from './modules/webhooks/subscriptions/webhook.entity.js';
import { Initial1795251600000 } from './migrations/1795251600000-initial.js';
import { Webhooks1795255200000 } from './migrations/1795255200000-webhooks.js';
import { Annotations1795258800000 } from './migrations/1795258800000-annotations.js';
import { ListIndexes1795262400000 } from './migrations/1795262400000-list-indexes.js';
import { Assets1795266000000 } from './migrations/1795266000000-assets.js';
import { WebhookDelivery1795269600000 } from './migrations/1795269600000-webhook-delivery.js';
import { SealedAnswers1795273500000 } from './migrations/1795273500000-sealed-answers.js';
import { ServerWebhooks1795280400000 } from './migrations/1795280400000-server-webhooks.js';
import { EventStream1795299900000 } from './migrations/1795299900000-event-stream.js';
import { Inspect1795301700000 } from './migrations/1795301700000-inspect.js';
import { EventTrace1795300800000 } from './migrations/1795300800000-event-trace.js';
import { WebhookShaping1795288500000 } from './migrations/1795288500000-webhook-shaping.js';
import { JobTally1795299000000 } from './migrations/1795299000000-job-tally.js';
import { CloudStorages1795306200000 } from './migrations/1795306200000-cloud-storages.js';
import { FreeStorages1795310100000 } from './migrations/1795310100000-free-storages.js';
import { SearchIndex1795311000000 } from './migrations/1795311000000-search-index.js';
import { OutboxPending1795312800000 } from './migrations/1795312800000-outbox-pending.js';
import { SealedHeaders1795313400000 } from './migrations/1795313400000-sealed-headers.js';
import { ColumnStamps1795314000000 } from './migrations/1795314000000-column-stamps.js';
import { WebhookLease1795316400000 } from './migrations/1795316400000-webhook-lease.js';
import { SetBasedCascades1795320000000 } from './migrations/1795320000000-set-based-cascades.js';
import { WebhookCascades1795322000000 } from './migrations/1795322000000-webhook-cascades.js';
import { LongExtras1795324000000 } from './migrations/1795324000000-long-extras.js';
import { FairRequests1795517400000 } from './migrations/1795517400000-fair-requests.js';
import { LookalikeNames1795518600000 } from './migrations/1795518600000-lookalike-names.js';
import { LeaseHolders1795519300000 } from './migrations/1795519300000-lease-holders.js';
import { VerifiedEmails1795520300000 } from './migrations/1795520300000-verified-emails.js';
import { MaskedPings1795521600000 } from './migrations/1795521600000-masked-pings.js';
import { Installation1795522500000 } from './migrations/1795522500000-installation.js';
import { AsciiLookalikeNames1795523400000 } from './migrations/1795523400000-ascii-lookalike-names.js';
import { ImportReports1795526100000 } from './migrations/1795526100000-import-reports.js';
import { WebhookPayload1795523400000 } from './migrations/1795523400000-webhook-payload.js';
import { Presence1795525200000 } from './migrations/1795525200000-presence.js';
import { Idempotency1795252000000 } from './migrations/1795252000000-idempotency.js';
import { AnnotationHistory1795287600000 } from './migrations/1795287600000-annotation-history.js';

/** Every table. */
export const ENTITIES = [
  InstallationEntity,
  AccessTokenEntity,
  AnnotationHeadEntity,
  ApiTokenEntity,
  AssetEntity,
  AttributeSpecEntity,
  BackgroundRequestEntity,
  CloudStorageEntity,
  CommentEntity,
  GuideEntity,
  IdempotencyKeyEntity,
  InspectArrivalEntity,
  InspectBoxEntity,
  IntervalEntity,
  InvitationEntity,
  IssueEntity,
  JobEntity,
  LabelEntity,
  MediaDataEntity,
  MediaFrameEntity,
  MediaUploadEntity,
  MembershipEntity,
  OrganizationEntity,
  OutboxEventEntity,
  OutboxPendingEntity,
  PresenceEntity,
  ProjectEntity,
  RemovedIntervalEntity,
  RemovedShapeEntity,
  RemovedTagEntity,
  RemovedTrackEntity,
  RemovedTrackedShapeEntity,
  RevisionEntity,
  RevisionPartEntity,
  SegmentEntity,
  SessionEntity,
  ShapeEntity,
  StorageEntity,
  TagEntity,
  TaskEntity,
  TrackEntity,
  TrackedShapeEntity,
  UserEntity,
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
  WebhookLeaseHolderEntity,
  WebhookPayloadEntity,
  WebhookEntity,
];

/** Every change of the schema, oldest first. Never edited after a release. */
export const MIGRATIONS = [
  Initial1795251600000,
  Idempotency1795252000000,
  Webhooks1795255200000,
  Annotations1795258800000,
  ListIndexes1795262400000,
  Assets1795266000000,
  WebhookDelivery1795269600000,
  SealedAnswers1795273500000,
  ServerWebhooks1795280400000,
  AnnotationHistory1795287600000,
  WebhookShaping1795288500000,
  JobTally1795299000000,
  EventStream1795299900000,
  EventTrace1795300800000,
  Inspect1795301700000,
  CloudStorages1795306200000,
  FreeStorages1795310100000,
  SearchIndex1795311000000,
  OutboxPending1795312800000,
  SealedHeaders1795313400000,
  ColumnStamps1795314000000,
  WebhookLease1795316400000,
  SetBasedCascades1795320000000,
  WebhookCascades1795322000000,
  LongExtras1795324000000,
  FairRequests1795517400000,
  LookalikeNames1795518600000,
  LeaseHolders1795519300000,
  VerifiedEmails1795520300000,
  MaskedPings1795521600000,
  Installation1795522500000,
  AsciiLookalikeNames1795523400000,
  WebhookPayload1795523400000,
  Presence1795525200000,
  ImportReports1795526100000,
];
