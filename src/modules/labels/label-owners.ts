import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { Discovery, methodHook } from '../../core/discovery/discovery.js';
import type { Actor } from '../../shared/policy/actor.js';
import type { LabelOwner } from './label.repository.js';

/** @throws NotFound, Forbidden unless the actor may see (or change) the object */
type Require = (db: Queryable, actor: Actor, id: number, scope: 'view' | 'update:desc') => Promise<void>;

/**
 * Runs a change of labels as a change of their owner: checks permission, changes its date (and that of what is in it), and
 * records its event.
 * @param deleted ids of the labels that the change deletes
 */
type Change = (
  actor: Actor,
  id: number,
  change: (tx: Tx) => Promise<void>,
  deleted: readonly number[],
) => Promise<unknown>;

/** The method checks access to the labels of a project or task, or to those that a job shows. */
export const RequiresLabelOwner = methodHook<LabelOwner['kind'] | 'job', Require>();

/** The method changes the labels of a project or task. */
export const ChangesLabelOwner = methodHook<LabelOwner['kind'], Change>();

/** Projects and tasks own labels, jobs show those of their task. Labels know all of them only by these hooks. */
@Injectable()
export class LabelOwners {
  constructor(private readonly discovery: Discovery) {}

  require(kind: LabelOwner['kind'] | 'job', ...values: Parameters<Require>): Promise<void> {
    return pick(this.discovery.methods(RequiresLabelOwner), kind)(...values);
  }

  change(kind: LabelOwner['kind'], ...values: Parameters<Change>): Promise<unknown> {
    return pick(this.discovery.methods(ChangesLabelOwner), kind)(...values);
  }
}

function pick<Method>(hooks: readonly { readonly data: string; readonly found: Method }[], kind: string): Method {
  const hook = hooks.find(({ data }) => data === kind);
  if (hook === undefined) throw new Error(`no module owns the labels of a ${kind}`);
  return hook.found;
}
