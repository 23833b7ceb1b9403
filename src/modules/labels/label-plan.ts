import { InvalidList, NotFound } from '../../core/http/errors/errors.js';
import type {
  AttributeChangeDto,
  AttributeDto,
  AttributeInputDto,
  LabelChangeDto,
  LabelInputDto,
  SublabelInputDto,
  LabelRow,
  SublabelRow,
} from './label.dto.js';
import { colorOf } from './label-color.js';

/** Counts texts. `colorOf` uses it as a set. */
class Occurrences {
  private readonly counts = new Map<string, number>();

  has(text: string): boolean {
    return this.counts.has(text);
  }

  /** @param by 1 for one more, -1 for one less */
  change(text: string, by: 1 | -1): void {
    const count = (this.counts.get(text) ?? 0) + by;
    if (count === 0) this.counts.delete(text);
    else this.counts.set(text, count);
  }
}

/** Names and colours of labels with the same parent, with lookups in constant time. */
class Siblings {
  readonly names = new Occurrences();
  readonly colors = new Occurrences();

  add({ name, color }: { readonly name: string; readonly color: string }): void {
    this.names.change(name, 1);
    this.colors.change(color.toLowerCase(), 1);
  }

  /** @param label as it was added */
  remove({ name, color }: { readonly name: string; readonly color: string }): void {
    this.names.change(name, -1);
    this.colors.change(color.toLowerCase(), -1);
  }
}

/** An attribute after the change; a new attribute has no id. */
export interface PlannedAttribute extends Omit<AttributeDto, 'id'> {
  readonly id?: number;
}

/** Positions of the attributes of a label, for lookups in constant time. */
class AttributePositions {
  private readonly names = new Map<string, number>();
  private readonly ids = new Map<number, number>();

  constructor(attributes: readonly PlannedAttribute[]) {
    for (const [index, attribute] of attributes.entries()) this.set(attribute, index);
  }

  set({ id, name }: PlannedAttribute, index: number): void {
    this.names.set(name, index);
    if (id !== undefined) this.ids.set(id, index);
  }

  ofName(name: string | undefined): number | undefined {
    return name === undefined ? undefined : this.names.get(name);
  }

  ofId(id: number): number | undefined {
    return this.ids.get(id);
  }

  rename(from: string, to: string, index: number): void {
    this.names.delete(from);
    this.names.set(to, index);
  }
}

/** A label after the change; a new label has no id. */
export interface PlannedLabel {
  readonly id?: number;
  readonly parent: PlannedLabel | null;
  name: string;
  color: string;
  type: string;
  /** The drawing of a new skeleton, which refers to sublabels by name. */
  readonly svg?: string;
  readonly attributes: PlannedAttribute[];
  readonly positions: AttributePositions;
  readonly sublabels: Siblings;
}

const NOT_UNIQUE = 'All label names must be unique';

/**
 * What becomes of the labels of one owner. Changes are applied one after the other, each to what those before it have
 * left, and are written together afterwards. Knows the rules and no database.
 */
export class LabelPlan {
  /** Parents before their sublabels. */
  readonly added: PlannedLabel[] = [];
  readonly changed = new Set<PlannedLabel>();
  /** By id. */
  readonly changedAttributes = new Map<number, PlannedAttribute>();
  readonly deleted: number[] = [];
  private readonly labels = new Siblings();
  private readonly byId = new Map<number, PlannedLabel>();
  /** Of labels that the owner had. */
  private readonly jointIds = new Map<PlannedLabel, number[]>();

  /** @param there the labels that the owner has */
  constructor(there: readonly LabelRow[]) {
    for (const row of there) {
      const label = this.know(row, null);
      for (const sublabel of row.sublabels) this.know(sublabel, label);
    }
  }

  /** @throws InvalidList for a name or attribute name used twice */
  create(label: LabelInputDto): void {
    const parent = this.add(label, null, label.type === 'skeleton' ? (label.svg ?? '') : undefined);
    for (const sublabel of label.sublabels ?? []) this.add(sublabel, parent);
  }

  /**
   * What a change does not name stays as it is; an empty colour counts as not named.
   * @throws InvalidList for a name or attribute name used twice, NotFound for an unknown id
   */
  apply(change: LabelChangeDto): void {
    if (change.id === undefined) return this.createFrom(change);
    const label = this.byId.get(change.id);
    if (label === undefined) throw new NotFound(`Not found label with id #${change.id} to change`);
    if (change.deleted === true) this.delete(label, change.id);
    else this.change(label, change);
  }

  private know({ id, name, color, type, attributes }: SublabelRow, parent: PlannedLabel | null): PlannedLabel {
    const positions = new AttributePositions(attributes);
    const label = { id, parent, name, color, type, attributes: [...attributes], positions, sublabels: new Siblings() };
    this.byId.set(id, label);
    this.jointIds.set(label, []);
    if (parent !== null) this.jointIds.get(parent)?.push(id);
    this.siblingsOf(label).add(label);
    return label;
  }

  private siblingsOf({ parent }: Pick<PlannedLabel, 'parent'>): Siblings {
    return parent?.sublabels ?? this.labels;
  }

  private createFrom({ name, attributes = [], ...change }: LabelChangeDto): void {
    if (name === undefined) throw new InvalidList(NOT_UNIQUE);
    this.create({ ...change, name, attributes: attributes.map(whole) });
  }

  private add(label: SublabelInputDto, parent: PlannedLabel | null, svg?: string): PlannedLabel {
    const siblings = this.siblingsOf({ parent });
    const { name, type = 'any', attributes = [] } = label;
    if (siblings.names.has(name)) throw new InvalidList(NOT_UNIQUE);
    const added: PlannedLabel = {
      parent,
      name,
      color: label.color || colorOf(name, siblings.colors),
      type,
      ...(svg === undefined ? {} : { svg }),
      attributes: [],
      positions: new AttributePositions([]),
      sublabels: new Siblings(),
    };
    for (const attribute of attributes) addAttribute(added, attribute);
    siblings.add(added);
    this.added.push(added);
    return added;
  }

  private delete(label: PlannedLabel, id: number): void {
    this.siblingsOf(label).remove(label);
    this.deleted.push(id);
    for (const gone of [id, ...(this.jointIds.get(label) ?? [])]) {
      const known = this.byId.get(gone);
      if (known !== undefined) this.changed.delete(known);
      this.byId.delete(gone);
    }
  }

  private change(label: PlannedLabel, { name = label.name, color, type, attributes = [] }: LabelChangeDto): void {
    const siblings = this.siblingsOf(label);
    siblings.remove(label);
    if (siblings.names.has(name)) throw new InvalidList(NOT_UNIQUE);
    label.name = name;
    label.color = color || label.color;
    label.type = changedType(label.type, type);
    siblings.add(label);
    this.changed.add(label);
    for (const attribute of attributes) this.changeAttribute(label, attribute);
  }

  private changeAttribute(label: PlannedLabel, change: AttributeChangeDto): void {
    const { positions } = label;
    const index = (change.id === undefined ? positions.ofName(change.name) : positions.ofId(change.id)) ?? -1;
    const known = label.attributes[index];
    if (known === undefined) {
      if (change.id !== undefined) throw new NotFound(`Attribute with id #${change.id} does not exist`);
      return addAttribute(label, whole(change));
    }
    const { name = known.name } = change;
    if ((positions.ofName(name) ?? index) !== index) throw duplicate(name);
    const changed = {
      ...known,
      name,
      mutable: change.mutable ?? known.mutable,
      input_type: change.input_type ?? known.input_type,
      default_value: change.default_value ?? known.default_value,
      values: change.values ?? known.values,
    };
    label.attributes[index] = changed;
    positions.rename(known.name, name, index);
    if (known.id !== undefined) this.changedAttributes.set(known.id, changed);
  }
}

/** @throws InvalidList when the label has an attribute of that name */
function addAttribute(label: PlannedLabel, attribute: AttributeInputDto): void {
  const { name, mutable, input_type, default_value = '', values } = attribute;
  if (label.positions.ofName(name) !== undefined) throw duplicate(name);
  const added = { name, mutable, input_type, default_value, values };
  label.positions.set(added, label.attributes.push(added) - 1);
}

const duplicate = (name: string): InvalidList => new InvalidList(`Duplicate attribute with name '${name}' exists`);

/** @throws InvalidList without a name */
function whole({
  name,
  mutable = false,
  input_type = 'text',
  values = [],
  default_value,
}: AttributeChangeDto): AttributeInputDto {
  if (name === undefined) throw new InvalidList('Attribute name is required');
  return { name, mutable, input_type, values, ...(default_value === undefined ? {} : { default_value }) };
}

/** A label never becomes a skeleton nor stops being one. */
function changedType(before: string, after: string | undefined): string {
  return after === undefined || (before === 'skeleton') !== (after === 'skeleton') ? before : after;
}
