import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { Invalid } from '../../core/http/errors/errors.js';
import { Cascades } from '../../core/events/cascades.js';
import type { Actor } from '../../shared/policy/actor.js';
import type { LabelChangeDto, LabelInputDto, LabelRow } from './label.dto.js';
import { LabelPlan } from './label-plan.js';
import { type LabelOwner, LabelRepository } from './label.repository.js';

/** Creates and changes the labels of a project or task, whose module checks permissions and writes dates. */
@Injectable()
export class LabelService {
  constructor(
    private readonly labels: LabelRepository,
    private readonly cascades: Cascades,
  ) {}

  ofOwner(db: Queryable, owner: LabelOwner): Promise<LabelRow[]> {
    return this.labels.ofOwner(db, owner);
  }

  ofOwners(db: Queryable, kind: LabelOwner['kind'], ids: readonly number[]): Promise<LabelRow[]> {
    return this.labels.ofOwners(db, kind, ids);
  }

  /** @throws InvalidList for a name or attribute name used twice */
  async createAll(tx: Tx, owner: LabelOwner, labels: readonly LabelInputDto[]): Promise<void> {
    requireNoDeletion(labels);
    const plan = new LabelPlan([]);
    await forEachInSlices(labels, (label) => plan.create(label));
    await this.labels.insert(tx, owner, plan.added);
  }

  /** Locks what uses these labels until the transaction ends. Call it before the owner is locked. */
  async lockDeleted(tx: Tx, owner: LabelOwner, ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await this.cascades.lock(tx, 'label', await this.labels.idsOf(tx, owner, ids));
  }

  /**
   * Applies a list of changes. Labels that are not in the list stay as they are.
   * @throws InvalidList for a name or attribute name used twice, NotFound for an unknown id
   */
  async changeAll(tx: Tx, actor: Actor, owner: LabelOwner, changes: readonly LabelChangeDto[]): Promise<void> {
    requireNoDeletion(changes);
    const plan = new LabelPlan(await this.labels.ofOwner(tx, owner));
    await forEachInSlices(changes, (change) => plan.apply(change));
    await this.cascades.run(tx, { resource: 'label', ids: plan.deleted, actor });
    await this.labels.delete(tx, plan.deleted);
    await this.labels.update(tx, [...plan.changed], [...plan.changedAttributes.values()]);
    await this.labels.insert(tx, owner, plan.added);
  }
}

/** The default colour of a label takes about ten microseconds, so these take a few milliseconds. */
const LABELS_AT_ONCE = 500;

/** Lets others have their turn between slices. */
async function forEachInSlices<T>(items: readonly T[], apply: (item: T) => void): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % LABELS_AT_ONCE === 0) await yieldToEventLoop();
    apply(item);
  }
}

/** Ids of the labels that a list of changes deletes. */
export const deletedLabels = (changes: readonly LabelChangeDto[] = []): number[] =>
  changes.flatMap(({ id, deleted }) => (deleted === true && id !== undefined ? [id] : []));

/** `deleted` needs the id of the label it deletes. */
function requireNoDeletion(labels: readonly { readonly id?: number; readonly deleted?: boolean }[]): void {
  const problems = labels.map((label) =>
    label.deleted === true && label.id === undefined ? { non_field_errors: ['Deleted label must have an ID'] } : {},
  );
  if (problems.some((problem) => 'non_field_errors' in problem)) throw new Invalid({ labels: problems });
}
