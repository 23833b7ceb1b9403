import { Injectable } from '@nestjs/common';
import { Db } from '../../core/database/db.js';
import type { Actor } from '../../shared/policy/actor.js';
import { JobService } from '../jobs/index.js';
import { ProjectService } from '../projects/index.js';
import { TaskService } from '../tasks/index.js';

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
  ) {}

  /** @throws NotFound, Forbidden */
  async requireExport(actor: Actor, { kind, id }: ExportTarget): Promise<void> {
    if (kind === 'project') await this.projects.require(this.db, actor, id, 'export');
    else if (kind === 'task') await this.tasks.require(this.db, actor, id, 'export');
    else await this.jobs.require(this.db, actor, id, 'export');
  }

  /** @throws NotFound, Forbidden */
  async requireImport(actor: Actor, { kind, id }: ImportTarget): Promise<void> {
    if (kind === 'project') await this.projects.require(this.db, actor, id, 'import:dataset');
    else if (kind === 'task') await this.tasks.require(this.db, actor, id, 'import:annotations');
    else await this.jobs.require(this.db, actor, id, 'import:annotations');
  }
}
