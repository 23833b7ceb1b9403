import { FormatError } from './format-error.js';
import type { FoundAttribute, FoundLabel } from './format.js';

/** More than any data set of the field has: what a file holds beyond that is a fault. */
const MAX_LABELS = 10_000;

/** What files say of a shape by an attribute, though labels do not have it. */
const BUILT_IN = new Set(['occluded', 'outside', 'rotation', 'source', 'keyframe', 'track_id']);

/** @throws FormatError */
export function requireFew(labels: number): void {
  if (labels > MAX_LABELS) throw new FormatError(`The dataset has more than ${MAX_LABELS} labels.`);
}

/** Collects labels by name, and the attributes that they turn out to have, in the order in which they appear. */
export class FoundLabels {
  private readonly byName = new Map<string, Map<string, FoundAttribute>>();

  add(name: string): void {
    if (this.byName.has(name)) return;
    this.byName.set(name, new Map());
    requireFew(this.byName.size);
  }

  /** An attribute of a label: a text, or a checkbox if its first value is a truth value. */
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
