import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { Invalid, InvalidList, NotFound } from '../../core/http/errors.js';
import { Cascades } from '../../core/outbox/cascades.js';
import type { Actor } from '../../policy/actor.js';
import type { AttributeChangeDto, LabelChangeDto, LabelInputDto, SublabelInputDto } from './label.dto.js';
import { colorOf } from './label-color.js';
import type { LabelRow } from './label.mapper.js';
import { type LabelOwner, LabelRepository } from './label.repository.js';

const NOT_UNIQUE = 'All label names must be unique';

/** Creates and changes the labels of a project or task. Permissions and dates are the owner's matter. */
@Injectable()
export class LabelService {
  constructor(
    @Inject(LabelRepository) private readonly labels: LabelRepository,
    @Inject(Cascades) private readonly cascades: Cascades,
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
    requireUnique(labels.map((label) => label.name));
    const colors = new Set<string>();
    for (const label of labels) await this.createOne(tx, owner, label, colors);
  }

  /** Applies a change list; what is not named stays as it is. */
  async changeAll(tx: Tx, actor: Actor, owner: LabelOwner, changes: readonly LabelChangeDto[]): Promise<void> {
    requireNoDeletion(changes);
    for (const change of changes) {
      const siblings = await this.labels.ofOwner(tx, owner);
      if (change.id === undefined) await this.add(tx, owner, siblings, change);
      else if (change.deleted === true) await this.delete(tx, actor, owner, change.id);
      else await this.change(tx, owner, change.id, siblings, change);
    }
  }

  private async add(tx: Tx, owner: LabelOwner, siblings: readonly LabelRow[], change: LabelChangeDto): Promise<void> {
    const { name } = change;
    if (name === undefined || siblings.some((label) => label.name === name)) throw new InvalidList(NOT_UNIQUE);
    requireAttributeNames(change.attributes ?? []);
    await this.createOne(
      tx,
      owner,
      { ...change, name } as LabelInputDto,
      new Set(siblings.map((label) => label.color)),
    );
  }

  private async delete(tx: Tx, actor: Actor, owner: LabelOwner, id: number): Promise<void> {
    if ((await this.labels.ofOwnerById(tx, owner, id)) === undefined) throw unknownLabel(id);
    await this.cascades.run(tx, { resource: 'label', ids: [id], actor });
    await this.labels.delete(tx, id);
  }

  private async change(
    tx: Tx,
    owner: LabelOwner,
    id: number,
    siblings: readonly LabelRow[],
    change: LabelChangeDto,
  ): Promise<void> {
    const label = await this.labels.ofOwnerById(tx, owner, id);
    if (label === undefined) throw unknownLabel(id);
    const name = change.name ?? label.name;
    if (label.parent_id === null && siblings.some((other) => other.id !== id && other.name === name))
      throw new InvalidList(NOT_UNIQUE);
    const taken = new Set(siblings.filter((other) => other.id !== id).map((other) => other.color));
    await this.labels.update(tx, id, {
      name,
      color: change.color || colorOf(name, taken),
      type: changedType(label.type, change.type),
    });
    for (const attribute of change.attributes ?? []) await this.changeAttribute(tx, label, attribute);
  }

  private async changeAttribute(tx: Tx, label: LabelRow, change: AttributeChangeDto): Promise<void> {
    const known = label.attributes.find((attribute) =>
      change.id === undefined ? attribute.name === change.name : attribute.id === change.id,
    );
    if (change.id !== undefined && known === undefined)
      throw new NotFound(`Attribute with id #${change.id} does not exist`);
    if (known === undefined) {
      requireAttributeNames([change]);
      return this.labels.insertAttribute(tx, label.id, change);
    }
    const clash = label.attributes.some((attribute) => attribute.id !== known.id && attribute.name === change.name);
    if (clash) throw new InvalidList(`Duplicate attribute with name '${change.name}' exists`);
    await this.labels.updateAttribute(tx, known.id, change);
  }

  private async createOne(tx: Tx, owner: LabelOwner, label: LabelInputDto, colors: Set<string>): Promise<void> {
    const id = await this.insert(tx, owner, label, null, colors);
    const sublabels = label.sublabels ?? [];
    requireUnique(sublabels.map((sublabel) => sublabel.name));
    const joints = new Map<string, number>();
    const jointColors = new Set<string>();
    for (const sublabel of sublabels)
      joints.set(sublabel.name, await this.insert(tx, owner, sublabel, id, jointColors));
    if (label.type === 'skeleton') await this.labels.setSvg(tx, id, withJointIds(label.svg ?? '', joints));
  }

  private async insert(
    tx: Tx,
    owner: LabelOwner,
    label: SublabelInputDto,
    parentId: number | null,
    colors: Set<string>,
  ): Promise<number> {
    const color = label.color || colorOf(label.name, colors);
    colors.add(color);
    const id = await this.labels.insert(tx, owner, { name: label.name, color, type: label.type ?? 'any', parentId });
    const names = new Set<string>();
    for (const attribute of label.attributes ?? []) {
      if (names.has(attribute.name)) throw new InvalidList(`Duplicate attribute with name '${attribute.name}' exists`);
      names.add(attribute.name);
      await this.labels.insertAttribute(tx, id, attribute);
    }
    return id;
  }
}

const unknownLabel = (id: number): NotFound => new NotFound(`Not found label with id #${id} to change`);

/** A label never becomes a skeleton nor stops being one. */
function changedType(before: string, after: string | undefined): string {
  return after === undefined || (before === 'skeleton') !== (after === 'skeleton') ? before : after;
}

function requireUnique(names: readonly string[]): void {
  if (new Set(names).size !== names.length) throw new InvalidList(NOT_UNIQUE);
}

function requireAttributeNames(attributes: readonly AttributeChangeDto[]): void {
  if (attributes.some((attribute) => attribute.name === undefined)) throw new InvalidList('Attribute name is required');
}

/** `deleted` needs the id of the label it deletes. */
function requireNoDeletion(labels: readonly { readonly id?: number; readonly deleted?: boolean }[]): void {
  const problems = labels.map((label) =>
    label.deleted === true && label.id === undefined ? { non_field_errors: ['Deleted label must have an ID'] } : {},
  );
  if (problems.some((problem) => 'non_field_errors' in problem)) throw new Invalid({ labels: problems });
}

/** Joints are drawn by name and kept by id. */
function withJointIds(svg: string, joints: ReadonlyMap<string, number>): string {
  return svg.replaceAll(/data-label-name="([^"]*)"/g, (text, name: string) => {
    const id = joints.get(name);
    return id === undefined ? text : `data-label-id="${id}"`;
  });
}
