import { Injectable } from '@nestjs/common';
import type { Actor } from '../../policy/actor.js';
import type { Tx } from '../database/tx.js';

/** Objects that are about to be deleted with their parent. */
export interface Cascade {
  /** The parent's resource: project, task, job, issue, organization, … */
  readonly resource: string;
  readonly ids: readonly number[];
  readonly actor: Actor;
}

type Listener = (tx: Tx, cascade: Cascade) => Promise<void>;
type Locker = (tx: Tx, ids: readonly number[]) => Promise<void>;

/**
 * Deleting a parent deletes its children in the database; their delete events are told by the modules that own them.
 * A parent's module calls `run` before it deletes; it needs to know nothing of its children. A listener may run a
 * cascade for its own children first: comments are told before issues, issues before jobs.
 *
 * Whoever writes to a child locks it first and its parents last (annotations, labels, task, job, project). A parent that
 * goes is locked in the same order: its module calls `lock` before it locks its own row.
 */
@Injectable()
export class Cascades {
  private readonly listeners = new Map<string, Listener[]>();
  private readonly lockers = new Map<string, Locker[]>();

  /** Children of `resource` in the order in which their deletion is told. */
  on(resource: string, listener: Listener): void {
    this.listeners.set(resource, [...(this.listeners.get(resource) ?? []), listener]);
  }

  /** What nobody may write to any more once `resource` is about to go. */
  onLock(resource: string, locker: Locker): void {
    this.lockers.set(resource, [...(this.lockers.get(resource) ?? []), locker]);
  }

  /** Waits for those who write to the children, and keeps others from it until the transaction ends. */
  async lock(tx: Tx, resource: string, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    for (const locker of this.lockers.get(resource) ?? []) await locker(tx, ids);
  }

  async run(tx: Tx, cascade: Cascade): Promise<void> {
    if (cascade.ids.length === 0) return;
    for (const listener of this.listeners.get(cascade.resource) ?? []) await listener(tx, cascade);
  }
}
