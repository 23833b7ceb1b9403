import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import { ChangeLog, type ChangePlace } from '../../core/event-log/change-log.js';
import type { Tx } from '../../core/database/tx.js';
import { Invalid } from '../../core/http/errors/errors.js';
import { Discovery, methodHook } from '../../core/discovery/discovery.js';
import { Cascades } from '../../core/events/cascades.js';
import type { Actor } from '../../shared/policy/actor.js';
import type { LabelChangeDto, LabelInputDto, LabelRow } from './label.dto.js';
import { LabelPlan } from './label-plan.js';
import { type LabelOwner, LabelRepository } from './label.repository.js';

/** @throws NotFound, Forbidden unless the actor may see (or change) the object */
type Require = (db: Queryable, actor: Actor, id: number, scope: 'view' | 'update:desc') => Promise<unknown>;

/**
 * Runs a change of labels as a change of their owner: changes its date (and that of what is in it), and records its
 * event. The caller has checked the permission.
 */
type Change = (tx: Tx, actor: Actor, id: number, change: () => Promise<void>) => Promise<unknown>;

/** The method checks access to the labels of a project or task, or to those that a job shows. */
export const RequiresLabelOwner = methodHook<LabelOwner['kind'] | 'job', Require>();

/** The method changes the labels of a project or task. */
export const ChangesLabelOwner = methodHook<LabelOwner['kind'], Change>();

/** Projects and tasks own labels, jobs show those of their task. Labels know all of them only by these hooks. */
@Injectable()
export class LabelOwners {
  constructor(private readonly discovery: Discovery) {}

  require(kind: LabelOwner['kind'] | 'job', ...values: Parameters<Require>): Promise<unknown> {
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

/** Creates and changes the labels of a project or task, whose module checks permissions and writes dates. */
@Injectable()
export class LabelService {
  constructor(
    private readonly labels: LabelRepository,
    private readonly cascades: Cascades,
    private readonly owners: LabelOwners,
    private readonly changeLog: ChangeLog,
  ) {}

  ofOwner(db: Queryable, owner: LabelOwner): Promise<LabelRow[]> {
    return this.labels.ofOwner(db, owner);
  }

  ofOwners(db: Queryable, kind: LabelOwner['kind'], ids: readonly number[]): Promise<LabelRow[]> {
    return this.labels.ofOwners(db, kind, ids);
  }

  /** The labels that tasks or jobs use. */
  usedIn(db: Queryable, kind: 'task' | 'job', ids: readonly number[]): Promise<LabelRow[]> {
    return this.labels.usedIn(db, kind, ids);
  }

  /** @throws InvalidList for a name or attribute name used twice */
  async createAll(tx: Tx, actor: Actor, owner: LabelOwner, labels: readonly LabelInputDto[]): Promise<void> {
    requireNoDeletion(labels);
    const plan = new LabelPlan([]);
    await forEachInSlices(labels, (label) => plan.create(label));
    this.recordCreated(tx, actor, owner, await this.labels.insert(tx, owner, plan.added));
  }

  /**
   * Adds labels as a change of their owner. The caller has checked permission and values.
   * @throws InvalidList for a name used twice
   */
  async add(tx: Tx, actor: Actor, owner: LabelOwner, labels: readonly LabelInputDto[]): Promise<void> {
    await this.owners.change(owner.kind, tx, actor, owner.id, () => this.changeAll(tx, actor, owner, labels));
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
    const before = await this.labels.ofOwner(tx, owner);
    const plan = new LabelPlan(before);
    await forEachInSlices(changes, (change) => plan.apply(change));
    await this.cascades.run(tx, { resource: 'label', ids: plan.deleted, actor });
    await this.labels.delete(tx, plan.deleted);
    await this.labels.update(tx, [...plan.changed], [...plan.changedAttributes.values()]);
    const created = await this.labels.insert(tx, owner, plan.added);
    const known = new Map(
      before.flatMap((label) => [label, ...(label.sublabels ?? [])]).map((label) => [label.id, label]),
    );
    const record = (name: string, change: { object: object; before?: object }): void =>
      this.changeLog.record(tx, actor, name, change, placeOf(owner));
    for (const id of plan.deleted) {
      const label = known.get(id);
      if (label !== undefined) record('delete:label', { object: logged(label, id, owner) });
    }
    for (const label of plan.changed) {
      const old = known.get(label.id ?? 0);
      if (old === undefined) continue;
      record('update:label', { before: logged(old, old.id, owner), object: logged(label, old.id, owner) });
    }
    this.recordCreated(tx, actor, owner, created);
  }

  private recordCreated(tx: Tx, actor: Actor, owner: LabelOwner, labels: ReadonlyMap<LoggedLabel, number>): void {
    for (const [label, id] of labels)
      this.changeLog.record(tx, actor, 'create:label', { object: logged(label, id, owner) }, placeOf(owner));
  }
}

type LoggedLabel = Pick<LabelInputDto, 'name' | 'color' | 'type'>;

/** A label as the event log shows it. */
const logged = ({ name, color, type }: LoggedLabel, id: number, { kind, id: owner }: LabelOwner): object => ({
  id,
  name,
  color,
  type,
  [`${kind}_id`]: owner,
});

const placeOf = ({ kind, id }: LabelOwner): ChangePlace => ({ [`${kind}Id`]: id });

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
