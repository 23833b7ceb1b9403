import type { EditedObject } from '#shared/annotations/editing/edited-object';
import { draggablePoints, type Point, shapeMovedBy } from '#shared/annotations/editing/geometry';
import {
  isKeyframe,
  withKeyframe,
  withKeyframeAttribute,
  withLabel,
  withoutKeyframe,
} from '#shared/annotations/editing/tracks';
import { TrackFrames } from '#shared/annotations/interpolate';
import { type AttributeValue, MAX_LAYER, type Shape, type ShapeElement } from '#shared/annotations/model';
import { boundsOf, drawingsOf } from '../scene/drawing';

/** The values of a shape that can change on one frame: in a track, a keyframe stores them. */
export type ShapeChange = Partial<Pick<Shape, 'points' | 'rotation' | 'occluded' | 'outside' | 'z_order'>>;

/** The shape on a frame, also of a track. Undefined for tags, and on frames where the object does not exist. */
export function shapeOf(object: EditedObject | undefined, frame: number): Shape | undefined {
  if (object?.kind === 'shape') return object.value;
  return object?.kind === 'track' ? new TrackFrames(object.value).at(frame) : undefined;
}

/** Changes a shape. A track gets a keyframe on the frame. */
export function withChange(object: EditedObject, frame: number, change: ShapeChange): EditedObject {
  if (object.kind === 'shape') return { kind: 'shape', value: { ...object.value, ...change } };
  return object.kind === 'track' ? { kind: 'track', value: withKeyframe(object.value, frame, change) } : object;
}

/** Stores the geometry of a shape and its elements. A track gets keyframes on the frame. */
export function withShape(object: EditedObject, frame: number, shape: Shape): EditedObject {
  if (object.kind === 'shape') return { kind: 'shape', value: shape };
  if (object.kind !== 'track') return object;
  const track = withKeyframe(object.value, frame, { points: shape.points });
  const elements = track.elements.map((element) => {
    const points = shape.elements.find(({ label_id: id }) => id === element.label_id)?.points;
    return points === undefined ? element : withKeyframe(element, frame, { points });
  });
  return { kind: 'track', value: { ...track, elements } };
}

/** Changes the state of an element of a skeleton. A track gets a keyframe of the element. */
export function withElementChange(
  object: EditedObject,
  frame: number,
  at: number,
  change: Pick<ShapeChange, 'occluded' | 'outside'>,
): EditedObject {
  if (object.kind === 'shape') {
    const elements = object.value.elements.map((element, i) => (i === at ? { ...element, ...change } : element));
    return { kind: 'shape', value: { ...object.value, elements } };
  }
  if (object.kind !== 'track') return object;
  const elements = object.value.elements.map((element, i) =>
    i === at ? withKeyframe(element, frame, change) : element,
  );
  return { kind: 'track', value: { ...object.value, elements } };
}

/** Changes the label, and replaces the attributes. @param mutable ids of the mutable attributes of the new label */
export function withOtherLabel(
  object: EditedObject,
  labelId: number,
  attributes: AttributeValue[],
  mutable: ReadonlySet<number>,
): EditedObject {
  if (object.kind === 'track') return { kind: 'track', value: withLabel(object.value, labelId, attributes, mutable) };
  return { ...object, value: { ...object.value, label_id: labelId, attributes } } as EditedObject;
}

/** Sets an attribute. A mutable attribute of a track changes only from this frame on. */
export function withAttribute(
  object: EditedObject,
  frame: number,
  attribute: AttributeValue,
  mutable: ReadonlySet<number>,
): EditedObject {
  if (object.kind === 'track' && mutable.has(attribute.spec_id))
    return { kind: 'track', value: withKeyframeAttribute(object.value, frame, attribute) };
  const others = object.value.attributes.filter(({ spec_id: id }) => id !== attribute.spec_id);
  return { ...object, value: { ...object.value, attributes: [...others, attribute] } } as EditedObject;
}

/** Adds a keyframe to a track, or removes it. */
export function withToggledKeyframe(object: EditedObject, frame: number): EditedObject {
  if (object.kind !== 'track') return object;
  const value = isKeyframe(object.value, frame)
    ? withoutKeyframe(object.value, frame)
    : withKeyframe(object.value, frame, {});
  return { kind: 'track', value };
}

export const withGroup = (object: EditedObject, group: number): EditedObject =>
  ({ ...object, value: { ...object.value, group } }) as EditedObject;

/** The smallest number of a group that is not used. The largest one may be the last that can be stored. */
export function freeGroup(used: Iterable<number>): number {
  const taken = new Set(used);
  let group = 1;
  while (taken.has(group)) group++;
  return group;
}

/** The layer above or below another one, within those that can be stored. */
export const nextLayer = (layer: number, by: 1 | -1): number => Math.max(-MAX_LAYER, Math.min(MAX_LAYER, layer + by));

/** The outline that replaces another one, or the points of a skeleton whose elements move to new positions. */
export function redrawn(
  shape: Shape,
  points: readonly number[],
  elementsIn: (box: readonly number[]) => readonly ShapeElement[],
): Pick<Shape, 'points' | 'rotation'> {
  if (shape.type !== 'skeleton') return { points: [...points], rotation: 0 };
  const fitted = new Map(elementsIn(points).map((element) => [element.label_id, element.points]));
  const elements = shape.elements.map((element) => ({
    ...element,
    points: fitted.get(element.label_id) ?? element.points,
  }));
  return { points: draggablePoints({ ...shape, elements }), rotation: 0 };
}

/**
 * Copies of shapes on a frame, where they are visible.
 * @param at the position of their centre; undefined: where they were
 */
export function pasted(shapes: readonly Shape[], frame: number, at?: Point): EditedObject[] {
  const { dx, dy } = at === undefined ? { dx: 0, dy: 0 } : offsetTo(shapes, at);
  return shapes.map((shape) => ({
    kind: 'shape',
    value: { ...shapeMovedBy(copiedTo(shape, frame), dx, dy), outside: false },
  }));
}

/** @returns the distance from the centre of shapes to a position */
function offsetTo(shapes: readonly Shape[], { x, y }: Point): { readonly dx: number; readonly dy: number } {
  const bounds = boundsOf(shapes.flatMap((shape) => [shape, ...shape.elements]).flatMap((shape) => drawingsOf(shape)));
  if (bounds === undefined) return { dx: 0, dy: 0 };
  return { dx: x - (bounds.left + bounds.right) / 2, dy: y - (bounds.top + bounds.bottom) / 2 };
}

export const copiedTo = (shape: Shape, frame: number): Shape => ({
  ...shape,
  id: null,
  frame,
  elements: shape.elements.map((element) => ({ ...element, id: null, frame })),
});
