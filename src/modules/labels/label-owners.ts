import { Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import type { Queryable } from '../../core/database/db.js';
import type { Actor } from '../../policy/actor.js';
import type { LabelOwner } from './label.repository.js';

/** What the module of an owner does for its labels. */
export interface LabelOwnerPort {
  /** @throws Forbidden unless the actor may see (or change) the owner */
  require(db: Queryable, actor: Actor, id: number, scope: 'view' | 'update:desc'): Promise<void>;
  /**
   * Runs a change of labels as a change of the owner: checks, bumps its date (and that of what is in it), tells it.
   * @param deleted the labels that the change deletes
   */
  change(actor: Actor, id: number, change: (tx: Tx) => Promise<void>, deleted: readonly number[]): Promise<unknown>;
}

/** @throws NotFound, Forbidden unless the actor may see the job */
export type JobCheck = (db: Queryable, actor: Actor, jobId: number) => Promise<void>;

/** Projects and tasks own labels, jobs show those of their task; labels know them only by this. */
@Injectable()
export class LabelOwners {
  private readonly ports = new Map<LabelOwner['kind'], LabelOwnerPort>();
  private jobCheck: JobCheck | undefined;

  register(kind: LabelOwner['kind'], port: LabelOwnerPort): void {
    this.ports.set(kind, port);
  }

  registerJobs(check: JobCheck): void {
    this.jobCheck = check;
  }

  /** @throws NotFound, Forbidden unless the actor may see the job */
  async requireJob(db: Queryable, actor: Actor, jobId: number): Promise<void> {
    if (this.jobCheck === undefined) throw new Error('nobody knows who may see a job');
    await this.jobCheck(db, actor, jobId);
  }

  of(owner: LabelOwner): LabelOwnerPort {
    const port = this.ports.get(owner.kind);
    if (port === undefined) throw new Error(`nobody owns the labels of a ${owner.kind}`);
    return port;
  }
}
