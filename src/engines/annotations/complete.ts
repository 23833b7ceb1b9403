import type { LabelIndex } from './labels.js';
import type { AttributeValue, LabeledData, Shape, Track, TrackElement } from '../../shared/annotations/model.js';

/**
 * Completes annotations for a read, in place: missing attributes get their defaults, keyframes inherit the mutable
 * attributes of the previous keyframe, and skeletons have no points of their own.
 */
export function completeData(data: LabeledData, labels: LabelIndex): LabeledData {
  for (const tag of data.tags) tag.attributes = withDefaults(tag.attributes, labels.defaults(tag.label_id, 'all'));
  for (const interval of data.intervals) {
    interval.attributes = withDefaults(interval.attributes, labels.defaults(interval.label_id, 'all'));
  }
  for (const shape of data.shapes) completeShape(shape, labels);
  for (const track of data.tracks) completeTrack(track, labels);
  return data;
}

/** Completes one single shape and its elements, in place. */
export function completeShape(shape: Shape, labels: LabelIndex): void {
  shape.attributes = withDefaults(shape.attributes, labels.defaults(shape.label_id, 'all'));
  if (shape.type === 'skeleton') shape.points = [];
  for (const element of shape.elements) {
    element.attributes = withDefaults(element.attributes, labels.defaults(element.label_id, 'all'));
  }
}

/** Completes one track, its keyframes (which must be sorted by frame) and its elements, in place. */
export function completeTrack(track: Track, labels: LabelIndex): void {
  completeTrackElement(track, labels);
  for (const element of track.elements) completeTrackElement(element, labels);
}

function completeTrackElement(track: TrackElement, labels: LabelIndex): void {
  track.attributes = withDefaults(track.attributes, labels.defaults(track.label_id, 'immutable'));
  const mutable = labels.defaults(track.label_id, 'mutable');
  let inherited = mutable;
  for (const shape of track.shapes) {
    if (shape.type === 'skeleton') shape.points = [];
    if (mutable.length === 0) continue;
    shape.attributes = withDefaults(shape.attributes, inherited);
    inherited = inheritedValues(inherited, shape.attributes);
  }
}

/** @returns the values with missing ones added from `defaults`; the same list if none is missing */
export function withDefaults(values: AttributeValue[], defaults: readonly AttributeValue[]): AttributeValue[] {
  const missing = defaults.filter((entry) => !values.some((value) => value.spec_id === entry.spec_id));
  return missing.length === 0 ? values : [...values, ...missing.map((entry) => ({ ...entry }))];
}

/** If a keyframe lists an attribute twice, the last value takes precedence. */
function inheritedValues(
  defaults: readonly AttributeValue[],
  values: readonly AttributeValue[],
): readonly AttributeValue[] {
  return defaults.map((entry) => values.findLast((value) => value.spec_id === entry.spec_id) ?? entry);
}

/** Cached attribute texts per label; the cache is cleared beyond that. */
const MEMORY = 1000;

/**
 * Completes attributes that are still JSON text, as in rows. Most shapes of a label have one of a few combinations of
 * values, so results are cached and a read of 100,000 shapes parses only a few texts.
 */
export class AttributeTexts {
  private readonly known = new Map<number, Map<string, string>>();

  constructor(private readonly labels: LabelIndex) {}

  /** @returns the JSON text of all attributes of a tag or single shape of the label */
  complete(labelId: number, text: string): string {
    const defaults = this.labels.defaults(labelId, 'all');
    if (defaults.length === 0) return text;
    let texts = this.known.get(labelId);
    if (texts === undefined || texts.size >= MEMORY) {
      texts = new Map();
      this.known.set(labelId, texts);
    }
    let completed = texts.get(text);
    if (completed === undefined) {
      completed = JSON.stringify(withDefaults(JSON.parse(text) as AttributeValue[], defaults));
      texts.set(text, completed);
    }
    return completed;
  }
}
