import type { AttributeValue } from '../../../shared/annotations/model.js';
import type { DatasetAttribute, DatasetLabel } from './dataset.js';
import type { ImportNotes } from './import-notes.js';
import { FormatError, type FileLocation, refuse, shown, type FoundAttribute, type FoundLabel } from './format.js';

/** Shape properties that files store as attributes, although labels do not define them. */
export const BUILT_IN: ReadonlySet<string> = new Set([
  'occluded',
  'outside',
  'rotation',
  'source',
  'keyframe',
  'track_id',
]);

/** The longest attribute value that the database stores. */
const MAX_VALUE = 4096;

/** Half of a pair. The API does not accept it in values either, so such annotations could not be saved again. */
const SURROGATE = /\p{Surrogate}/u;

/** Maps label names in files to labels, and back. Skeleton elements are identified by skeleton and name. */
export class LabelNames {
  private readonly byId = new Map<number, DatasetLabel>();
  private readonly byName = new Map<string, DatasetLabel>();
  private readonly attributes = new Map<number, DatasetAttribute>();
  private readonly byForm = new Map<(name: string) => string, ReadonlyMap<string, DatasetLabel>>();

  /** @param notes receives labels and attributes that do not exist */
  constructor(
    labels: Iterable<DatasetLabel>,
    private readonly notes?: ImportNotes,
  ) {
    for (const label of labels) {
      if (notes !== undefined) notesOf.set(label, notes);
      this.byId.set(label.id, label);
      this.byName.set(nameKey(label.parentId, label.name), label);
      for (const attribute of label.attributes) this.attributes.set(attribute.id, attribute);
    }
  }

  /** @returns the label of an annotation of the dataset */
  get(labelId: number): DatasetLabel {
    const label = this.byId.get(labelId);
    if (label === undefined) throw new Error(`Label ${labelId} is not in the dataset`);
    return label;
  }

  /** @returns the attribute of a value; undefined if it is not in the dataset */
  attribute(specId: number): DatasetAttribute | undefined {
    return this.attributes.get(specId);
  }

  /**
   * @param written how files write names, if they cannot have every name
   * @returns the label with this name that is no element of a skeleton
   */
  find(name: string, written?: (name: string) => string): DatasetLabel | undefined {
    return (
      this.byName.get(nameKey(null, name)) ??
      (written && this.writtenAs(written).get(name)) ??
      this.writtenAs(composed).get(composed(name))
    );
  }

  private writtenAs(form: (name: string) => string): ReadonlyMap<string, DatasetLabel> {
    const known = this.byForm.get(form);
    if (known !== undefined) return known;
    const labels = [...this.byId.values()].filter(({ parentId }) => parentId === null);
    const found = new Map(labels.map((label) => [form(label.name), label]));
    this.byForm.set(form, found);
    return found;
  }

  /**
   * As {@link find}.
   * @throws FormatError if there is no such label, unless the notes receive it
   */
  named(name: string, location: FileLocation, written?: (name: string) => string): DatasetLabel {
    const label = this.find(name, written) ?? this.missing(name, location);
    return label ?? refuse(location, `there is no label ${shown(name)} to import it to`);
  }

  private missing(name: string, location: FileLocation): DatasetLabel | undefined {
    return this.notes?.isLenient === true ? this.notes.withoutLabel(name, location) : undefined;
  }

  /** @throws FormatError if the skeleton has no such element, unless the notes receive it */
  elementNamed(skeleton: DatasetLabel, name: string, location: FileLocation): DatasetLabel {
    const known = this.byName.get(nameKey(skeleton.id, name));
    const element = known ?? this.missing(`${skeleton.name}/${name}`, location);
    return element ?? refuse(location, `the skeleton ${shown(skeleton.name)} has no element ${shown(name)}`);
  }
}

/** Where to note attributes that a label does not have. */
const notesOf = new WeakMap<DatasetLabel, ImportNotes>();

/** Characters such as é may be one or two. */
const composed = (name: string): string => name.normalize('NFC');

const nameKey = (parentId: number | null, name: string): string => `${parentId ?? ''} ${name}`;

const attributesOf = new WeakMap<DatasetLabel, ReadonlyMap<string, DatasetAttribute>>();

/** The attribute of a label with this name. Files may have as many values as labels have attributes, and many more. */
export function attributeOf(label: DatasetLabel, name: string): DatasetAttribute | undefined {
  let known = attributesOf.get(label);
  if (known === undefined) {
    known = new Map(label.attributes.toReversed().map((attribute) => [attribute.name, attribute]));
    attributesOf.set(label, known);
  }
  return known.get(name);
}

/**
 * Converts values to the ids of the label's attributes. Attributes that the label does not have are skipped, because
 * files contain notes of the tools that wrote them.
 * @throws FormatError if a value is too long, or cannot be stored
 */
export function attributeValues(
  label: DatasetLabel,
  values: Iterable<readonly [name: string, value: string]>,
  location: FileLocation,
): AttributeValue[] {
  const found = new Map<number, AttributeValue>();
  for (const [name, value] of values) {
    const spec = attributeOf(label, name);
    if (spec === undefined) {
      if (!BUILT_IN.has(name)) notesOf.get(label)?.skip('attribute', `${label.name}/${name}`, location);
      continue;
    }
    if (value.length > MAX_VALUE) refuse(location, `the value of attribute ${shown(name)} is longer than ${MAX_VALUE}`);
    if (value.includes('\0') || SURROGATE.test(value))
      refuse(location, `the value of attribute ${shown(name)} has null characters or halves of characters`);
    found.set(spec.id, { spec_id: spec.id, value });
  }
  return [...found.values()];
}

/** More labels than any real dataset has; a file with more is rejected. */
const MAX_LABELS = 10_000;

/** @throws FormatError */
export function requireFew(labels: number): void {
  if (labels > MAX_LABELS) throw new FormatError(`The dataset has more than ${MAX_LABELS} labels.`);
}

/** Collects labels and their attributes by name, in order of first appearance. */
export class FoundLabels {
  private readonly byName = new Map<string, Map<string, FoundAttribute>>();

  add(name: string): void {
    if (this.byName.has(name)) return;
    this.byName.set(name, new Map());
    requireFew(this.byName.size);
  }

  /** Adds an attribute to a label: a checkbox if its first value is a boolean, a text otherwise. */
  addAttribute(label: string, name: string, value: string): void {
    const attributes = this.byName.get(label);
    if (attributes === undefined || attributes.has(name) || BUILT_IN.has(name)) return;
    if (attributes.size === MAX_LABELS) {
      throw new FormatError(`A label of the dataset has more than ${MAX_LABELS} attributes.`);
    }
    const input_type = /^(?:true|false)$/i.test(value) ? 'checkbox' : 'text';
    attributes.set(name, { name, mutable: false, input_type, default_value: '', values: [''] });
  }

  list(): FoundLabel[] {
    return Array.from(this.byName, ([name, attributes]) => ({ name, attributes: [...attributes.values()] }));
  }
}
