import type { LabeledData, TrackElement } from '../../shared/annotations/model.js';

/** One number per sequence of ids; elements of skeletons take theirs from the sequence of their kind. */
export interface IdsByKind {
  tag: number;
  shape: number;
  track: number;
  trackedShape: number;
  interval: number;
}

/** @returns how many ids each sequence must hand out for the annotations that have none */
export function countMissingIds(...parts: readonly LabeledData[]): IdsByKind {
  const counts: IdsByKind = { tag: 0, shape: 0, track: 0, trackedShape: 0, interval: 0 };
  for (const data of parts) {
    visit(data, (kind, object) => {
      if (object.id === null) counts[kind]++;
    });
  }
  return counts;
}

/**
 * Gives every annotation without an id the next one of its sequence, in place, in the order sent.
 * @param first the first of a block of free ids for each sequence, at least as long as {@link countMissingIds}
 * @returns what is left of the blocks
 */
export function assignIds(data: LabeledData, first: Readonly<IdsByKind>): IdsByKind {
  const next = { ...first };
  visit(data, (kind, object) => {
    object.id ??= next[kind]++;
  });
  return next;
}

type Visitor = (kind: keyof IdsByKind, object: { id: number | null }) => void;

function visit(data: LabeledData, visitor: Visitor): void {
  for (const tag of data.tags) visitor('tag', tag);
  for (const interval of data.intervals) visitor('interval', interval);
  for (const shape of data.shapes) {
    visitor('shape', shape);
    for (const element of shape.elements) visitor('shape', element);
  }
  for (const track of data.tracks) {
    visitTrack(track, visitor);
    for (const element of track.elements) visitTrack(element, visitor);
  }
}

function visitTrack(track: TrackElement, visitor: Visitor): void {
  visitor('track', track);
  for (const shape of track.shapes) visitor('trackedShape', shape);
}
