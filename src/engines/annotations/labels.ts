import { AnnotationInvalid } from './field-errors.js';
import type { AttributeValue, LabeledData, Shape, Track, TrackedShape } from '../../shared/annotations/model.js';

export interface AttributeSpec {
  id: number;
  mutable: boolean;
  defaultValue: string;
  inputType: string;
  values: readonly string[];
}

export interface LabelSpec {
  id: number;
  type: string;
  /** The skeleton label that this label is an element of. */
  parentId: number | null;
  attributes: readonly AttributeSpec[];
}

/** Which attributes of a label an annotation may carry. */
export type AttributeScope = 'all' | 'mutable' | 'immutable';

interface LabelEntry {
  spec: LabelSpec;
  /** Defaults by scope, in the order of the label's attributes. */
  defaults: Record<AttributeScope, readonly AttributeValue[]>;
  specIds: Record<AttributeScope, ReadonlySet<number>>;
}

const NO_DEFAULTS: readonly AttributeValue[] = [];

/** The labels, skeleton elements included, that annotations of one task may use. */
export class LabelIndex {
  private readonly entries = new Map<number, LabelEntry>();

  constructor(labels: Iterable<LabelSpec>) {
    for (const spec of labels) this.entries.set(spec.id, toEntry(spec));
  }

  all(): LabelSpec[] {
    return [...this.entries.values()].map((entry) => entry.spec);
  }

  ids(): number[] {
    return [...this.entries.keys()];
  }

  get(labelId: number): LabelSpec | undefined {
    return this.entries.get(labelId)?.spec;
  }

  /** @returns the default values of a label's attributes; shared, so do not change them */
  defaults(labelId: number, scope: AttributeScope): readonly AttributeValue[] {
    return this.entries.get(labelId)?.defaults[scope] ?? NO_DEFAULTS;
  }

  allows(labelId: number, specId: number, scope: AttributeScope): boolean {
    return this.entries.get(labelId)?.specIds[scope].has(specId) ?? false;
  }
}

function toEntry(spec: LabelSpec): LabelEntry {
  const scoped = (scope: AttributeScope) =>
    spec.attributes.filter((attribute) => scope === 'all' || attribute.mutable === (scope === 'mutable'));
  const defaults = (scope: AttributeScope) =>
    scoped(scope).map((attribute) => ({ spec_id: attribute.id, value: attribute.defaultValue }));
  const ids = (scope: AttributeScope) => new Set(scoped(scope).map((attribute) => attribute.id));
  return {
    spec,
    defaults: { all: defaults('all'), mutable: defaults('mutable'), immutable: defaults('immutable') },
    specIds: { all: ids('all'), mutable: ids('mutable'), immutable: ids('immutable') },
  };
}

/**
 * Checks that every label and attribute belongs to the task. Tags, single shapes and intervals may have any attribute
 * of their label, tracks the immutable ones, keyframes the mutable ones.
 * @throws AnnotationInvalid with a list of one sentence, such as `["label_id `5` is invalid"]`
 */
export function checkLabels(data: LabeledData, labels: LabelIndex): void {
  for (const tag of data.tags) checkLabel(labels, tag.label_id, tag.attributes, 'all');
  for (const interval of data.intervals) checkLabel(labels, interval.label_id, interval.attributes, 'all');
  data.shapes.forEach((shape, index) => checkShape(labels, shape, index));
  data.tracks.forEach((track, index) => checkTrack(labels, track, index));
}

function checkShape(labels: LabelIndex, shape: Shape, index: number): void {
  checkLabel(labels, shape.label_id, shape.attributes, 'all');
  for (const [position, element] of shape.elements.entries()) {
    checkLabel(labels, element.label_id, element.attributes, 'all');
    checkMember(labels, shape.label_id, element.label_id, `shapes[${index}].elements[${position}]`);
  }
}

function checkTrack(labels: LabelIndex, track: Track, index: number): void {
  checkLabel(labels, track.label_id, track.attributes, 'immutable');
  checkKeyframes(labels, track.label_id, track.shapes);
  for (const [position, element] of track.elements.entries()) {
    checkLabel(labels, element.label_id, element.attributes, 'immutable');
    checkKeyframes(labels, element.label_id, element.shapes);
    checkMember(labels, track.label_id, element.label_id, `tracks[${index}].elements[${position}]`);
  }
}

function checkKeyframes(labels: LabelIndex, labelId: number, shapes: readonly TrackedShape[]): void {
  for (const shape of shapes) checkAttributes(labels, labelId, shape.attributes, 'mutable');
}

function checkLabel(
  labels: LabelIndex,
  labelId: number,
  attributes: readonly AttributeValue[],
  scope: AttributeScope,
): void {
  if (labels.get(labelId) === undefined) refuse(`label_id \`${labelId}\` is invalid`);
  checkAttributes(labels, labelId, attributes, scope);
}

function checkAttributes(
  labels: LabelIndex,
  labelId: number,
  attributes: readonly AttributeValue[],
  scope: AttributeScope,
): void {
  for (const attribute of attributes) {
    if (!labels.allows(labelId, attribute.spec_id, scope)) refuse(`spec_id \`${attribute.spec_id}\` is invalid`);
  }
}

function checkMember(labels: LabelIndex, skeletonId: number, elementId: number, place: string): void {
  if (labels.get(elementId)?.parentId === skeletonId) return;
  refuse(`${place}: label_id \`${elementId}\` is not an element of the skeleton label \`${skeletonId}\``);
}

function refuse(sentence: string): never {
  throw new AnnotationInvalid([sentence]);
}
