import { IdempotencyKeyEntity } from './core/idempotency/idempotency-key.entity.js';
import { HeldRemovalEntity } from './core/media-storage/held-removal.entity.js';
import { InstallationEntity } from './core/installation.entity.js';
import { ThrottleCountEntity } from './core/access/throttle.entity.js';
import { ProcessDutyEntity } from './core/worker/process-duty.entity.js';
import { MediaMovedEntity } from './core/media-storage/media-moved.entity.js';
import { LoggedEventEntity } from './core/event-log/logged-event.entity.js';
import {
  OutboxEventEntity,
  OutboxListenerEntity,
  OutboxOrderEntity,
  OutboxPendingEntity,
  OutboxQuarantineEntity,
} from './core/events/outbox.entity.js';
import {
  AnnotationAuthorEntity,
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
import { SignOnIdentityEntity, SignOnSessionEntity } from './modules/auth/sign-on/sign-on.entity.js';
import { CloudStorageEntity } from './modules/cloudstorages/cloud-storage.entity.js';
import { EventSinkEntity, EventSinkPendingEntity } from './modules/event-sink/event-sink.entity.js';
import { CommentEntity } from './modules/comments/comment.entity.js';
import { ConsensusAgreementEntity, ConsensusSettingsEntity } from './modules/consensus/consensus.entity.js';
import { NativeFunctionEntity } from './modules/functions/function.entity.js';
import { AnnotationRequestEntity, FunctionAgentEntity } from './modules/functions/queues/annotation-request.entity.js';
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
import {
  QualityConflictEntity,
  QualityReportEntity,
  QualityReportPartEntity,
  QualitySettingsEntity,
} from './modules/quality/quality.entity.js';
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
import { RequestTrace1795673520000 } from './migrations/1795673520000-request-trace.js';
import { Functions1795659180000 } from './migrations/1795659180000-functions.js';
import { Agreement1795648620000 } from './migrations/1795648620000-agreement.js';
import { AuditIndexes1795662660000 } from './migrations/1795662660000-audit-indexes.js';
import { SignOn1795675200000 } from './migrations/1795675200000-sign-on.js';
import { AnnotationAuthors1795680900000 } from './migrations/1795680900000-annotation-authors.js';
import { DisabledAccounts1795678620000 } from './migrations/1795678620000-disabled-accounts.js';
import { RequestVerdict1795691000000 } from './migrations/1795691000000-request-verdict.js';
import { AgentsThatAreGone1795700100000 } from './migrations/1795700100000-agents-that-are-gone.js';
import { EventListeners1795815300000 } from './migrations/1795815300000-event-listeners.js';
import { AudioTasks1795816000000 } from './migrations/1795816000000-audio-tasks.js';
import { ImportedTokens1795816200000 } from './migrations/1795816200000-imported-tokens.js';
import { SafeDrawings1795825800000 } from './migrations/1795825800000-safe-drawings.js';
import { EventTally1795659540000 } from './migrations/1795659540000-event-tally.js';
import { Consensus1795645800000 } from './migrations/1795645800000-consensus.js';
import { WebhookPayload1795523400000 } from './migrations/1795523400000-webhook-payload.js';
import { Presence1795525200000 } from './migrations/1795525200000-presence.js';
import { Quality1795645901000 } from './migrations/1795645901000-quality.js';
import { EventSink1795672020000 } from './migrations/1795672020000-event-sink.js';
import { EventLog1795645980000 } from './migrations/1795645980000-event-log.js';
import { Idempotency1795252000000 } from './migrations/1795252000000-idempotency.js';
import { AnnotationHistory1795287600000 } from './migrations/1795287600000-annotation-history.js';
import { ThrottleCounts1795673700000 } from './migrations/1795673700000-throttle-counts.js';
import { ProcessDuties1795673760000 } from './migrations/1795673760000-process-duties.js';
import { MediaPlaces1795674540000 } from './migrations/1795674540000-media-places.js';
import { HeldRemovals1795675140000 } from './migrations/1795675140000-held-removals.js';

/** Every table. */
export const ENTITIES = [
  InstallationEntity,
  MediaMovedEntity,
  AccessTokenEntity,
  AnnotationRequestEntity,
  AnnotationAuthorEntity,
  AnnotationHeadEntity,
  ApiTokenEntity,
  AssetEntity,
  AttributeSpecEntity,
  BackgroundRequestEntity,
  CloudStorageEntity,
  CommentEntity,
  ConsensusAgreementEntity,
  ConsensusSettingsEntity,
  FunctionAgentEntity,
  GuideEntity,
  HeldRemovalEntity,
  IdempotencyKeyEntity,
  InspectArrivalEntity,
  InspectBoxEntity,
  IntervalEntity,
  InvitationEntity,
  IssueEntity,
  JobEntity,
  LabelEntity,
  EventSinkEntity,
  EventSinkPendingEntity,
  LoggedEventEntity,
  MediaDataEntity,
  MediaFrameEntity,
  MediaUploadEntity,
  MembershipEntity,
  NativeFunctionEntity,
  OrganizationEntity,
  OutboxEventEntity,
  OutboxListenerEntity,
  OutboxOrderEntity,
  OutboxPendingEntity,
  OutboxQuarantineEntity,
  PresenceEntity,
  ProcessDutyEntity,
  ProjectEntity,
  QualityConflictEntity,
  QualityReportEntity,
  QualityReportPartEntity,
  QualitySettingsEntity,
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
  SignOnIdentityEntity,
  SignOnSessionEntity,
  StorageEntity,
  TagEntity,
  TaskEntity,
  ThrottleCountEntity,
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
  Consensus1795645800000,
  Quality1795645901000,
  EventLog1795645980000,
  Agreement1795648620000,
  Functions1795659180000,
  EventTally1795659540000,
  AuditIndexes1795662660000,
  EventSink1795672020000,
  RequestTrace1795673520000,
  ThrottleCounts1795673700000,
  ProcessDuties1795673760000,
  MediaPlaces1795674540000,
  HeldRemovals1795675140000,
  SignOn1795675200000,
  DisabledAccounts1795678620000,
  AnnotationAuthors1795680900000,
  RequestVerdict1795691000000,
  AgentsThatAreGone1795700100000,
  EventListeners1795815300000,
  AudioTasks1795816000000,
  ImportedTokens1795816200000,
  SafeDrawings1795825800000,
];
