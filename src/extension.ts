// Adds the events of the server to EventMap.
import './modules/annotations/annotations.events.js';
import './modules/comments/comment.events.js';
import './modules/invitations/invitation.events.js';
import './modules/issues/issue.events.js';
import './modules/jobs/job.events.js';
import './modules/memberships/membership.events.js';
import './modules/organizations/organization.events.js';
import './modules/projects/project.events.js';
import './modules/requests/request.events.js';
import './modules/tasks/task.events.js';
import './modules/users/user.events.js';

export { CONFIG, type Config } from './config/config.js';
export { CurrentActor } from './core/access/current-actor.decorator.js';
export {
  organizationFacts,
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from './core/access/organization-context.js';
export { requireAll } from './core/access/require.js';
export { Public, Scope } from './core/access/scope.decorator.js';
export { Clock } from './core/clock.js';
export { Db, type Queryable } from './core/database/db.js';
export { type Tx } from './core/database/tx.js';
export { UnitOfWork } from './core/database/unit-of-work.js';
export { type Extension } from './core/extensions/load-extensions.js';
export { ApiErrors } from './core/http/errors/api-errors.js';
export { BasicUserDto } from './core/http/response/basic-user.dto.js';
export { JsonBody, type Unvalidated } from './core/http/body/body.js';
export { ApiError, Forbidden, Invalid, InvalidList, NotFound } from './core/http/errors/errors.js';
export {
  ChoicesField,
  floatItem,
  intItem,
  ListField,
  NestedField,
  textItem,
} from './core/http/body/composite-fields.js';
export {
  BoolField,
  ChoiceField,
  EmailField,
  FloatField,
  FRACTION,
  IntField,
  JsonField,
  TextField,
  TimestampField,
} from './core/http/body/fields.js';
export { IdPipe } from './core/http/request/ids.js';
export { namedId } from './core/http/request/ids.js';
export { Preconditions } from './core/http/conditional/preconditions.js';
export { Urls } from './core/http/response/urls.js';
export { ApiList } from './core/list/api-list.decorator.js';
export { listOrganization } from './core/list/list.service.js';
export { bool, choice, integer, type ListSpec, text, throughMany, timestamp } from './core/list/list-spec.js';
export { ListService } from './core/list/list.service.js';
export { type Page, pageDto } from './core/list/page-request.js';
export { LOGGER, type Logger } from './core/logging/logger.js';
export { BeforeDeleting, type Cascade, Cascades, LockBeforeDeleting } from './core/events/cascades.js';
export { type EventDeclaration } from './core/events/event-declaration.js';
export * from './core/events/event-map.js';
export { Events } from './core/events/events.js';
export { OnEventBatchInExtension as OnEventBatch, OnEventInExtension as OnEvent } from './core/events/on-event.js';
export { type Representation, Representations, Represents, type Snapshot } from './core/versioning/representations.js';
export { RespondsWith, OlderRepresentations } from './core/versioning/version.guard.js';
export { Poller } from './core/worker/poller.js';
export { BackgroundWorker, UpkeepEvery, type Worker } from './core/worker/workers.js';
export { decimal } from './engines/annotations/decimal.js';
export { annotatedFrames } from './engines/annotations/formats/annotated-frames.js';
export {
  type Dataset,
  type DatasetFrame,
  type DatasetLabel,
  type DatasetTask,
} from './engines/annotations/formats/dataset.js';
export { subsetFolder, subsetName } from './engines/annotations/formats/dataset.js';
export {
  fileShape,
  FormatError,
  type FileLocation,
  refuse,
  shown,
  type AnnotationSource,
  type DatasetFiles,
  type DatasetImage,
  type ExportFormat,
  type FileContent,
  type FileSink,
  type FormatInfo,
  type FoundAttribute,
  type FoundLabel,
  type ImportFormat,
  type ImportTarget,
  type Likeness,
} from './engines/annotations/formats/format.js';
export type { ArchiveSample } from './engines/annotations/formats/archive-sample.js';
export { isOtherSubset } from './engines/annotations/formats/import-notes.js';
export { FrameMatcher, ImportBatch } from './engines/annotations/formats/import-batch.js';
export { readJsonLists } from './engines/annotations/formats/json-lists.js';
export { attributeValues, LabelNames } from './engines/annotations/formats/label-names.js';
export { decodeText, inPieces, readSmallText } from './engines/annotations/formats/text-pieces.js';
export { readXml } from './engines/annotations/formats/xml.js';
export { type LabeledData, type Shape, type Tag, type Track } from './shared/annotations/model.js';
export { and, join, or, raw, Sql, sql } from './engines/sql/sql.js';
export { column, table } from './engines/sql/tables.js';
export { ProjectEntity } from './modules/projects/project.entity.js';
export { ProjectRepository, ProjectsModule } from './modules/projects/index.js';
export { TaskEntity } from './modules/tasks/task.entity.js';
export { TaskRepository, TasksModule } from './modules/tasks/index.js';
export { UserEntity } from './modules/users/user.entity.js';
export { basicUserColumns, readBasicUser } from './modules/users/index.js';
export {
  type Actor,
  contextOrganization,
  hasPrivilege,
  hasRole,
  isAdmin,
  type OrganizationFacts,
} from './shared/policy/actor.js';
export { type Policy } from './shared/policy/policy.js';
export { type ProjectFacts, projectPolicy } from './shared/policy/project.policy.js';
export {
  isMember,
  isOneOf,
  isOrganizationOwner,
  isOrganizationStaff,
  maintains,
  withinReach,
} from './shared/policy/rules.js';
export { type TaskFacts, taskPolicy } from './shared/policy/task.policy.js';
