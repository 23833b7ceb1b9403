import { decimal } from '../annotations/decimal.js';
import type { FrameObject, QualityLabel } from './frame-objects.js';
import { type Sublabels, sublabelsOf } from './similarity.js';

/** The name of the last row and column of a confusion matrix. */
const UNMATCHED = 'unmatched';

/** The labels of a task, as reports and comparisons need them. */
export class ReportLabels {
  /** In the order of their ids, without sublabels; then "unmatched". */
  readonly names: readonly string[];
  readonly sublabels: Sublabels;
  private readonly indices: ReadonlyMap<number, number>;
  private readonly inputTypes: ReadonlyMap<number, string>;

  constructor(labels: readonly QualityLabel[]) {
    const listed = labels.filter(({ parentId }) => parentId === null).toSorted((a, b) => a.id - b.id);
    this.names = [...listed.map(({ name }) => name), UNMATCHED];
    this.indices = new Map(listed.map(({ id }, index) => [id, index]));
    this.sublabels = sublabelsOf(labels);
    this.inputTypes = new Map(
      labels.flatMap(({ attributes }) => attributes.map(({ id, inputType }) => [id, inputType])),
    );
  }

  /** Row or column of "unmatched". */
  get unmatched(): number {
    return this.names.length - 1;
  }

  /** @returns row or column of the label */
  indexOf({ labelId }: FrameObject): number {
    return this.indices.get(labelId) ?? this.unmatched;
  }

  /**
   * Compares the attributes of two annotations of one label: numbers by value, checkboxes by whether they are checked, others
   * by their text, and whether shapes are occluded.
   */
  haveSameAttributes(a: FrameObject, b: FrameObject): boolean {
    if (a.kind !== 'tag' && a.occluded !== b.occluded) return false;
    const [values, others] = [this.valuesOf(a), this.valuesOf(b)];
    return values.size === others.size && [...values].every(([spec, value]) => others.get(spec) === value);
  }

  private valuesOf({ attributes }: FrameObject): Map<number, string | number | boolean> {
    return new Map(attributes.map(({ spec_id: spec, value }) => [spec, this.comparable(spec, value)]));
  }

  private comparable(spec: number, text: string): string | number | boolean {
    const inputType = this.inputTypes.get(spec);
    if (inputType === 'checkbox') return text.toLowerCase() === 'true';
    if (inputType !== 'number') return text;
    const number = decimal(text);
    return Number.isNaN(number) ? text : number;
  }
}
