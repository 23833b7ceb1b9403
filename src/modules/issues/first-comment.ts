import type { Tx } from '../../core/database/tx.js';
import { methodHook } from '../../core/discovery/discovery.js';
import type { Actor } from '../../shared/policy/actor.js';

/** Calls the method with the message of a new issue, to make it the issue's first comment. */
export const WritesFirstComment = methodHook<
  void,
  (tx: Tx, actor: Actor, issueId: number, message: string) => Promise<unknown>
>();
