import { methodHook } from '../discovery/discovery.js';
import type { Tx } from '../database/tx.js';
import type { Actor } from '../../shared/policy/actor.js';

/** A project or task that moves to another organization. */
export interface Transfer {
  readonly kind: 'project' | 'task';
  readonly id: number;
  /** Becomes the owner. */
  readonly actor: Actor;
  /** Null: out of any organization. */
  readonly to: number | null;
}

/**
 * Calls the method before a project or a task without a project moves to another organization, to end what belongs to
 * the old one. The tasks of the project, and the task, are locked; the project is not.
 */
export const OnTransfer = methodHook<void, (tx: Tx, transfer: Transfer) => Promise<void>>();
