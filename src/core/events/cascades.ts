import { Injectable } from '@nestjs/common';
import type { Actor } from '../../shared/policy/actor.js';
import type { Tx } from '../database/tx.js';
import { Discovery, methodHook } from '../discovery/discovery.js';

/** Objects that are about to be deleted with their parent. */
export interface Cascade {
  /** The parent's resource: project, task, job, issue, organization, … */
  readonly resource: string;
  readonly ids: readonly number[];
  readonly actor: Actor;
}

/**
 * Calls the method in the transaction that deletes objects of the named resource, before their rows go: to record the
 * delete events of their children, in the order of the events.
 */
export const BeforeDeleting = methodHook<string, (tx: Tx, cascade: Cascade) => Promise<void>>();

/** Calls the method before objects of the named resource are locked for deletion: to lock their children. */
export const LockBeforeDeleting = methodHook<string, (tx: Tx, ids: readonly number[]) => Promise<void>>();

/**
 * Deleting a parent deletes its children in the database; the modules that own them record their delete events. A parent's
 * module calls `run` before it deletes; it needs to know nothing of its children. A `@BeforeDeleting` method may run a
 * cascade for its own children first: the events of comments come before those of issues, and these before those of jobs.
 *
 * Whoever writes to a child locks it first and its parents last (annotations, labels, task, job, project). A parent that
 * is deleted is locked in the same order: its module calls `lock` before it locks its own row.
 */
@Injectable()
export class Cascades {
  constructor(private readonly discovery: Discovery) {}

  /** Waits for those who write to the children, and keeps others from it until the transaction ends. */
  async lock(tx: Tx, resource: string, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    for (const { data, found } of this.discovery.methods(LockBeforeDeleting)) {
      if (data === resource) await found(tx, ids);
    }
  }

  async run(tx: Tx, cascade: Cascade): Promise<void> {
    if (cascade.ids.length === 0) return;
    for (const { data, found } of this.discovery.methods(BeforeDeleting)) {
      if (data === cascade.resource) await found(tx, cascade);
    }
  }
}
