import type { AttributeValue } from '../../../shared/annotations/model.js';
import type { DatasetAttribute, DatasetLabel } from './dataset.js';
import { type Place, refuse, shown } from './format-error.js';

/** Longer texts do not fit where values of attributes are stored. */
const MAX_VALUE = 4096;

/** Labels by the names that files know them by, and back. Elements of skeletons are known by skeleton and name. */
export class LabelNames {
  private readonly byId = new Map<number, DatasetLabel>();
  private readonly byName = new Map<string, DatasetLabel>();
  private readonly attributes = new Map<number, DatasetAttribute>();

  constructor(labels: Iterable<DatasetLabel>) {
    for (const label of labels) {
      this.byId.set(label.id, label);
      this.byName.set(nameKey(label.parentId, label.name), label);
      for (const attribute of label.attributes) this.attributes.set(attribute.id, attribute);
    }
  }

  /** @returns the label of an annotation that is in the dataset */
  get(labelId: number): DatasetLabel {
    const label = this.byId.get(labelId);
    if (label === undefined) throw new Error(`Label ${labelId} is not in the dataset`);
    return label;
  }

  /** @returns the attribute of a value, undefined when it is not in the dataset */
  attribute(specId: number): DatasetAttribute | undefined {
    return this.attributes.get(specId);
  }

  /** @throws FormatError when there is no such label */
  named(name: string, place: Place): DatasetLabel {
    return this.byName.get(nameKey(null, name)) ?? refuse(place, `there is no label ${shown(name)} to import it to`);
  }

  /** @throws FormatError when the skeleton has no such element */
  elementNamed(skeleton: DatasetLabel, name: string, place: Place): DatasetLabel {
    const element = this.byName.get(nameKey(skeleton.id, name));
    return element ?? refuse(place, `the skeleton ${shown(skeleton.name)} has no element ${shown(name)}`);
  }
}

const nameKey = (parentId: number | null, name: string): string => `${parentId ?? ''} ${name}`;

/**
 * Values with the ids of the label's attributes. Attributes that the label does not have are left out: files carry
 * notes of the tools that wrote them.
 * @throws FormatError for a value that is too long
 */
export function attributeValues(
  label: DatasetLabel,
  values: Iterable<readonly [name: string, value: string]>,
  place: Place,
): AttributeValue[] {
  const found = new Map<number, AttributeValue>();
  for (const [name, value] of values) {
    const spec = label.attributes.find((attribute) => attribute.name === name);
    if (spec === undefined) continue;
    if (value.length > MAX_VALUE) refuse(place, `the value of attribute ${shown(name)} is longer than ${MAX_VALUE}`);
    found.set(spec.id, { spec_id: spec.id, value });
  }
  return [...found.values()];
}
