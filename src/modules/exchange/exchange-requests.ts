import { Injectable } from '@nestjs/common';
import { Actors } from '../../core/access/actors.js';
import { Db, type Queryable } from '../../core/database/db.js';
import type { Actor } from '../../shared/policy/actor.js';
import { JobService } from '../jobs/index.js';
import { ProjectService } from '../projects/index.js';
import { TaskService } from '../tasks/index.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { ApiError, NotFound } from '../../core/http/errors/errors.js';
import { TooManyPairs } from '../../engines/annotations/assignment.js';
import { FormatError } from '../../engines/annotations/formats/format.js';
import { MediaError, MediaStorageFull, storageError } from '../../engines/media/media-error.js';
import { ObjectStorageError } from '../../engines/object-storage/object-storage-error.js';
import {
  BackgroundRequests,
  type BackgroundWork,
  loadOwner,
  type RequestContext,
  stillPermitted,
  toRequestFailure,
} from '../requests/index.js';
import { DatasetRepository } from './dataset/dataset.repository.js';

/** The object to export. */
export interface ExportTarget {
  readonly kind: 'project' | 'task' | 'job';
  readonly id: number;
}

/** The object that a file is imported into. Projects accept entire datasets, as new tasks. */
export type ImportTarget = ExportTarget;

/** The last part of the URL of an import, and of the request's id. */
export const importSubresource = (kind: ImportTarget['kind']): 'annotations' | 'dataset' =>
  kind === 'project' ? 'dataset' : 'annotations';

/** The folder that keeps an upload until it is read, and the form field that contains it. */
export interface UploadLocation {
  readonly folder: string;
  readonly field: string;
}

export const importLocation = ({ kind, id }: ImportTarget): UploadLocation => ({
  folder: `${kind}-${id}`,
  field: kind === 'project' ? 'dataset_file' : 'annotation_file',
});

/** Checks who may export and import annotations. */
@Injectable()
export class ExchangeAccess {
  constructor(
    private readonly db: Db,
    private readonly projects: ProjectService,
    private readonly tasks: TaskService,
    private readonly jobs: JobService,
    private readonly actors: Actors,
  ) {}

  /** Whoever asked for an export may have lost the permission since. @throws RequestFailure, NotFound */
  async requireExportOfOwner(request: RequestContext, target: ExportTarget): Promise<void> {
    const owner = await loadOwner(this.actors, this.db, request);
    await stillPermitted(() => this.requireExport(owner, target));
  }

  /** @throws NotFound, Forbidden */
  async requireExport(actor: Actor, { kind, id }: ExportTarget): Promise<void> {
    if (kind === 'project') await this.projects.require(this.db, actor, id, 'export');
    else if (kind === 'task') await this.tasks.require(this.db, actor, id, 'export');
    else await this.jobs.require(this.db, actor, id, 'export');
  }

  /** @throws NotFound, Forbidden */
  async requireImport(actor: Actor, { kind, id }: ImportTarget, db: Queryable = this.db): Promise<void> {
    if (kind === 'project') await this.projects.require(db, actor, id, 'import:dataset');
    else if (kind === 'task') await this.tasks.require(db, actor, id, 'import:annotations');
    else await this.jobs.require(db, actor, id, 'import:annotations');
  }
}

/** What a request does with its object. */
type ObjectWork = Pick<BackgroundWork, 'id' | 'type' | 'format' | 'subresource' | 'parameters'>;

/** Queues background requests. */
@Injectable()
export class ExchangeRequests {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly datasets: DatasetRepository,
    private readonly background: BackgroundRequests,
  ) {}

  /** @throws OperationInProgress if a request with this id is queued or running */
  requireIdle(id: string): Promise<void> {
    return this.background.requireIdle(this.db, id);
  }

  /**
   * Queues a request about an object.
   * @param describe receives when the object was last changed
   * @throws NotFound, OperationInProgress
   */
  async enqueue(
    actor: Actor,
    target: ExportTarget,
    describe: (updated: Date, tx: Tx) => ObjectWork | Promise<ObjectWork>,
  ): Promise<void> {
    await this.work.run(async (tx) => {
      const scope = await this.datasets.findScope(tx, target);
      if (scope === undefined) throw new NotFound();
      await this.background.enqueue(tx, actor, {
        ...(await describe(new Date(scope.updated_date), tx)),
        target: target.kind,
        projectId: scope.project_id,
        taskId: scope.task_id,
        jobId: scope.job_id,
        organizationId: scope.organization_id,
      });
    });
  }

  /** Queues a request whose object does not exist yet. @throws OperationInProgress */
  async enqueueNew(actor: Actor, work: BackgroundWork): Promise<void> {
    await this.work.run((tx) => this.background.enqueue(tx, actor, work));
  }
}

/** The error that an export or import fails with: see `toRequestFailure`. */
export const toExchangeFailure = (error: unknown, request: RequestContext): unknown =>
  toRequestFailure(
    storageError(error),
    request,
    FormatError,
    TooManyPairs,
    ObjectStorageError,
    MediaError,
    MediaStorageFull,
    ApiError,
  );
