import { Injectable } from '@nestjs/common';
import type { Actor } from '../../shared/policy/actor.js';
import type { Tx } from '../database/tx.js';
import { Discovery, methodHook } from '../discovery/discovery.js';

/** Objects that are about to be deleted together with their parent. */
export interface Cascade {
  /** The parent's resource: project, task, job, issue, organization, … */
  readonly resource: string;
  readonly ids: readonly number[];
  readonly actor: Actor;
}

/**
 * Runs the method in the transaction that deletes objects of the named resource, before their rows are deleted. It
 * records the delete events of their children, in the order of the events.
 */
export const BeforeDeleting = methodHook<string, (tx: Tx, cascade: Cascade) => Promise<void>>();

/** Runs the method before objects of the named resource are locked for deletion. It locks their children. */
export const LockBeforeDeleting = methodHook<string, (tx: Tx, ids: readonly number[]) => Promise<void>>();

/**
 * The database deletes the children of a deleted parent; the modules that own them record their delete events. The
 * parent's module calls `run` before it deletes, and does not need to know the children. A `@BeforeDeleting` method may
 * run a cascade for its own children first: events of comments precede those of issues, which precede those of jobs.
 *
 * A writer locks the child first and its parents last (annotations, labels, task, job, project). Deletion locks in the
 * same order: the module of the parent calls `lock` before it locks its own row.
 */
@Injectable()
export class Cascades {
  constructor(private readonly discovery: Discovery) {}

  /** Waits for writers of the children, and blocks new ones until the transaction ends. */
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
