import { Keyframes } from '../interpolate.js';
import type { AttributeValue, Shape, ShapeElement, Track, TrackedShape, TrackElement } from '../model.js';
import { least } from '../../extremes.js';

/** The values of a shape that a keyframe sets. */
export type KeyframeValues = Pick<
  TrackedShape,
  'occluded' | 'outside' | 'z_order' | 'rotation' | 'points' | 'attributes'
>;

/** Whether the track or one of its elements has a keyframe on the frame. */
export const isKeyframe = (track: Track, frame: number): boolean =>
  [track, ...track.elements].some((element) => hasKeyframe(element, frame));

/**
 * Sets values of the track on a frame. If the track has no keyframe there, creates one from the interpolated shape.
 * @returns the track unchanged if it does not exist on the frame
 */
export function withKeyframe<Element extends TrackElement>(
  track: Element,
  frame: number,
  values: Partial<KeyframeValues>,
): Element {
  const shape = new Keyframes(track.shapes).at(frame);
  if (shape === undefined) return track;
  // A keyframe inherits the attributes of earlier ones, so a new keyframe needs none of its own.
  const base = shape.frame === frame && hasKeyframe(track, frame) ? shape : { ...shape, frame, attributes: [] };
  return withShapes(track, [
    ...track.shapes.filter((other) => other.frame !== frame),
    { ...base, ...values, id: null },
  ]);
}

/** Sets a mutable attribute from a frame on, until the next keyframe with a value of its own. */
export function withKeyframeAttribute<Element extends TrackElement>(
  track: Element,
  frame: number,
  attribute: AttributeValue,
): Element {
  const own = track.shapes.find((shape) => shape.frame === frame)?.attributes ?? [];
  const attributes = [...own.filter(({ spec_id: id }) => id !== attribute.spec_id), attribute];
  return withKeyframe(track, frame, { attributes });
}

/**
 * Removes the keyframe on a frame from the track and its elements, so that the frame is interpolated.
 * @returns the track unchanged if it has no other keyframe
 */
export function withoutKeyframe(track: Track, frame: number): Track {
  const rest = track.shapes.filter((shape) => shape.frame !== frame);
  if (rest.length === 0) return track;
  const elements = track.elements.map((element) => {
    const others = element.shapes.filter((shape) => shape.frame !== frame);
    return others.length === 0 ? element : withShapes(element, others);
  });
  return { ...withShapes(track, rest), elements };
}

/**
 * A track that starts with this shape and does not move.
 * @param mutable ids of mutable attributes, whose values belong to the keyframe
 */
export const trackFrom = (shape: Shape, mutable: ReadonlySet<number> = new Set()): Track => ({
  ...elementFrom(shape, mutable),
  elements: shape.elements.map((element) => elementFrom(element, mutable)),
});

function elementFrom(shape: ShapeElement, mutable: ReadonlySet<number>): TrackElement {
  const { label_id, group, source, frame, type, occluded, outside, z_order, rotation, points } = shape;
  const [fixed, changing] = byMutability(shape.attributes, mutable);
  const keyframe = { id: null, type, frame, occluded, outside, z_order, rotation, points, attributes: changing };
  return { id: null, label_id, group, source, attributes: fixed, frame, shapes: [keyframe] };
}

/** The attributes of the track, and those of its keyframes. */
const byMutability = (
  attributes: readonly AttributeValue[],
  mutable: ReadonlySet<number>,
): [AttributeValue[], AttributeValue[]] => [
  attributes.filter(({ spec_id: id }) => !mutable.has(id)),
  attributes.filter(({ spec_id: id }) => mutable.has(id)),
];

/** The track with another label. The first keyframe has the mutable attributes, and later ones inherit them. */
export function withLabel(
  track: Track,
  labelId: number,
  attributes: readonly AttributeValue[],
  mutable: ReadonlySet<number>,
): Track {
  const [fixed, changing] = byMutability(attributes, mutable);
  const shapes = track.shapes.map((shape, at) => ({ ...shape, attributes: at === 0 ? changing : [] }));
  return { ...track, label_id: labelId, attributes: fixed, shapes };
}

/**
 * Splits a track: the first part ends before the frame, the second one starts on it.
 * @param mutable ids of mutable attributes, whose current values the second part starts with
 * @returns undefined if one of the parts would be empty
 */
export function splitTrack(track: Track, frame: number, mutable: ReadonlySet<number>): [Track, Track] | undefined {
  if (frame <= least(track.shapes.map((shape) => shape.frame))) return undefined;
  const first = withElements(track, (element) => endedBefore(element, frame));
  const second = withElements(track, (element) => startedOn(element, frame, mutable));
  return first === undefined || second === undefined ? undefined : [first, second];
}

function endedBefore<Element extends TrackElement>(track: Element, frame: number): Element | undefined {
  const shapes = track.shapes.filter((shape) => shape.frame < frame);
  const last = new Keyframes(track.shapes).at(frame - 1);
  const end = new Keyframes(track.shapes).at(frame);
  if (shapes.length === 0 || last === undefined || end === undefined) return undefined;
  if (last.outside) return withShapes(track, shapes);
  const before = shapes.some((shape) => shape.frame === frame - 1) ? [] : [{ ...last, id: null, attributes: [] }];
  return withShapes(track, [...shapes, ...before, { ...end, id: null, outside: true, attributes: [] }]);
}

function startedOn<Element extends TrackElement>(
  track: Element,
  frame: number,
  mutable: ReadonlySet<number>,
): Element | undefined {
  const start = new Keyframes(track.shapes).at(frame);
  if (start === undefined) return undefined;
  const later = track.shapes.filter((shape) => shape.frame > frame);
  const attributes = attributesAt(track, frame).filter(({ spec_id: id }) => mutable.has(id));
  return { ...withShapes(track, [{ ...start, id: null, frame, attributes }, ...later]), frame, id: null };
}

/** Applies a function to the track and its elements. Removes elements for which it returns undefined. */
function withElements(
  track: Track,
  part: <Element extends TrackElement>(element: Element) => Element | undefined,
): Track | undefined {
  const found = part(track);
  return found && { ...found, elements: track.elements.flatMap((element) => part(element) ?? []) };
}

/** The attributes on a frame: those of the track, overridden by those of the keyframes up to the frame. */
export function attributesAt(track: TrackElement, frame: number): AttributeValue[] {
  const values = new Map(track.attributes.map(({ spec_id: id, value }) => [id, value]));
  for (const shape of new Keyframes(track.shapes).shapes) {
    if (shape.frame > frame) break;
    for (const { spec_id: id, value } of shape.attributes) values.set(id, value);
  }
  return Array.from(values, ([spec_id, value]) => ({ spec_id, value }));
}

const hasKeyframe = ({ shapes }: TrackElement, frame: number): boolean => shapes.some((shape) => shape.frame === frame);

/** The track with these keyframes, sorted by frame. It starts on the first one. */
function withShapes<Element extends TrackElement>(track: Element, shapes: readonly TrackedShape[]): Element {
  const sorted = shapes.toSorted((a, b) => a.frame - b.frame);
  return { ...track, frame: sorted[0]?.frame ?? track.frame, shapes: sorted };
}
