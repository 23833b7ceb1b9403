import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Actor } from '../../shared/policy/actor.js';
import {
  ChangesLabelOwner,
  deletedLabels,
  type LabelChangeDto,
  type LabelInputDto,
  LabelService,
  RequiresLabelOwner,
} from '../labels/index.js';
import type { ProjectDto } from './project.dto.js';
import { ProjectRepository } from './project.repository.js';
import { ProjectService } from './project.service.js';

/** Changes the labels of projects, as a change of the project. */
@Injectable()
export class ProjectLabels {
  constructor(
    private readonly work: UnitOfWork,
    private readonly projects: ProjectService,
    private readonly rows: ProjectRepository,
    private readonly labels: LabelService,
  ) {}

  @RequiresLabelOwner('project')
  async require(db: Queryable, actor: Actor, id: number, scope: 'view' | 'update:desc'): Promise<void> {
    await this.projects.require(db, actor, id, scope);
  }

  @ChangesLabelOwner('project')
  change(actor: Actor, id: number, change: (tx: Tx) => Promise<void>, deleted: readonly number[]): Promise<ProjectDto> {
    return this.work.run(async (tx) => {
      await this.lockFor(tx, id, deleted);
      return this.projects.change(tx, actor, id, async () => {
        await change(tx);
        await this.rows.touchContents(tx, id, tx.now);
        return [];
      });
    });
  }

  /** Adds labels. The caller has checked permission and values. @throws InvalidList for a name used twice */
  async add(tx: Tx, actor: Actor, id: number, labels: readonly LabelInputDto[]): Promise<void> {
    await this.lockFor(tx, id, []);
    await this.projects.change(tx, actor, id, async () => {
      await this.write(tx, actor, id, labels);
      return [];
    });
  }

  /** Locks what changes with the labels. Call it before the project is locked. */
  lock(tx: Tx, id: number, changes: readonly LabelChangeDto[]): Promise<void> {
    return this.lockFor(tx, id, deletedLabels(changes));
  }

  /** Call it once the project is locked. */
  async write(tx: Tx, actor: Actor, id: number, changes: readonly LabelChangeDto[]): Promise<void> {
    await this.labels.changeAll(tx, actor, { kind: 'project', id }, changes);
    await this.rows.touchContents(tx, id, tx.now);
  }

  private async lockFor(tx: Tx, id: number, deleted: readonly number[]): Promise<void> {
    await this.labels.lockDeleted(tx, { kind: 'project', id }, deleted);
    await this.rows.lockContents(tx, id);
  }
}
