import type { AnnotationDocument, Operation } from '#shared/annotations/editing/document';
import type { EditedObject } from '#shared/annotations/editing/edited-object';
import {
  draggablePoints,
  hasArea,
  type Point,
  roundCoordinate,
  shapeMovedBy,
  withElementsAt,
} from '#shared/annotations/editing/geometry';
import { mergeObjects } from '#shared/annotations/editing/merge';
import {
  isKeyframe,
  splitTrack,
  trackFrom,
  withKeyframe,
  withKeyframeAttribute,
  withLabel,
  withoutKeyframe,
} from '#shared/annotations/editing/tracks';
import { TrackFrames } from '#shared/annotations/interpolate';
import type { AttributeValue, Geometry, Shape, ShapeElement, ShapeType, Tag } from '#shared/annotations/model';
import type { Label } from '../../../app/api';
import { randomId } from '../../../app/random-id';
import { AnnotationIndex } from '../scene/annotation-index';
import { boundsOf, drawingsOf } from '../scene/drawing';
import type { SceneObject } from '../scene/scene';
import { skeletonNodes } from '../scene/skeleton';

/** The values of a shape that can change on one frame: in a track, a keyframe stores them. */
type ShapeChange = Partial<Pick<Shape, 'points' | 'rotation' | 'occluded' | 'outside' | 'z_order'>>;

/**
 * The annotations of a job and the actions of a user on them. Each edit is one step of the undo history. The editor calls
 * its listeners after every change.
 */
export class Editor {
  readonly index: AnnotationIndex;
  private readonly listeners = new Set<() => void>();
  private clipboard: readonly Shape[] = [];
  private changes = 0;
  /** When each object changed last, as a number of changes. */
  private readonly changed = new Map<string, number>();
  private isTogether = false;
  private drawn: readonly [string, EditedObject] | undefined;
  /** Called when the draft has changed. */
  onDraft: () => void = () => undefined;

  /** @param labels that objects can have */
  constructor(
    readonly document: AnnotationDocument,
    public labels: readonly Label[],
  ) {
    this.index = new AnnotationIndex(document, labels);
  }

  /** For `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** A number that differs after every change. */
  readonly version = (): number => this.changes;

  /** Removes labels that were deleted on the server. Objects keep them until they have another label. */
  removeLabels(ids: ReadonlySet<number>): void {
    this.labels = this.labels.filter(({ id }) => !ids.has(id));
    this.notify();
  }

  /** Replaces the labels that objects can have, because they have changed on the server. */
  setLabels(labels: readonly Label[]): void {
    if (JSON.stringify(labels) === JSON.stringify(this.labels)) return;
    this.labels = labels;
    this.index.addLabels(labels);
    this.notify();
  }

  /** Makes several edits one step of the undo history. */
  together(run: () => void): void {
    if (this.isTogether) return run();
    this.isTogether = true;
    try {
      this.document.together(run);
    } finally {
      this.isTogether = false;
      this.notify();
    }
  }

  /** Notifies the listeners that the document has changed. */
  notify(): void {
    if (this.isTogether) return;
    this.changes += 1;
    for (const listener of this.listeners) listener();
  }

  /** Adds a shape, or a track that starts with it. @returns its key */
  draw(drawn: { type: ShapeType; points: number[]; frame: number; labelId: number; isTrack: boolean }): string {
    const { type, points, frame, labelId, isTrack } = drawn;
    const isSkeleton = type === 'skeleton';
    const shape: Shape = {
      ...this.newElement(type, labelId, frame, isSkeleton ? [] : points),
      elements: isSkeleton ? this.elementsIn(points, labelId, frame) : [],
    };
    const object: EditedObject = isTrack
      ? { kind: 'track', value: trackFrom(shape, this.mutable(labelId)) }
      : { kind: 'shape', value: shape };
    return this.add(`Draw ${type}`, [object])[0] ?? '';
  }

  /** A mask that is still being painted, and its key. It is not in the document, but must survive a crash. */
  get draft(): readonly [string, EditedObject] | undefined {
    return this.drawn;
  }

  /** @param mask the mask as it would be if it was finished now; undefined: none is being painted */
  setDraft(mask?: { readonly key: string | undefined } & Pick<Shape, 'points' | 'frame' | 'label_id'>): void {
    const before = this.drawn;
    this.drawn = mask && this.draftOf(mask, before?.[0]);
    if (before !== this.drawn) this.onDraft();
  }

  private draftOf(
    { key, points, frame, label_id: labelId }: NonNullable<Parameters<Editor['setDraft']>[0]>,
    last: string | undefined,
  ): readonly [string, EditedObject] {
    const object = key === undefined ? undefined : this.document.get(key);
    if (key !== undefined && object?.kind === 'shape') {
      return [key, { kind: 'shape', value: { ...object.value, points } }];
    }
    const value = { ...this.newElement('mask', labelId, frame, points), elements: [] };
    return [last ?? newKey('shape'), { kind: 'shape', value }];
  }

  /** The key of the frame's tag with the label. */
  tagOn(frame: number, labelId: number): string | undefined {
    for (const [key, { kind, value }] of this.document.at(frame)) {
      if (kind === 'tag' && value.label_id === labelId) return key;
    }
    return undefined;
  }

  /** Adds a tag to the frame, or removes it if the frame has it. */
  toggleTag(frame: number, labelId: number): void {
    const key = this.tagOn(frame, labelId);
    if (key !== undefined) return this.remove([key]);
    const attributes = this.defaultAttributes(labelId);
    const value: Tag = { id: null, label_id: labelId, group: 0, source: 'manual', attributes, frame };
    this.add('Add tag', [{ kind: 'tag', value }]);
  }

  remove(keys: readonly string[]): void {
    this.change(
      'Delete',
      keys.map((key) => [key, undefined] as const),
    );
  }

  /** The shape on a frame, also of a track. Undefined for tags, and on frames where the object does not exist. */
  shapeAt(key: string, frame: number): Shape | undefined {
    const object = this.document.get(key);
    if (object?.kind === 'shape') return object.value;
    return object?.kind === 'track' ? new TrackFrames(object.value).at(frame) : undefined;
  }

  /** Changes a shape. If the object is a track, adds a keyframe on the frame. */
  changeShape(title: string, key: string, frame: number, change: ShapeChange): void {
    const object = this.document.get(key);
    if (object?.kind === 'shape') this.put(title, key, { kind: 'shape', value: { ...object.value, ...change } });
    if (object?.kind === 'track') {
      this.put(title, key, { kind: 'track', value: withKeyframe(object.value, frame, change) });
    }
  }

  /** Moves a shape with its elements. */
  moveBy(key: string, frame: number, dx: number, dy: number): void {
    const shape = this.shapeAt(key, frame);
    if (shape !== undefined) this.putShape(`Move ${shape.type}`, key, frame, shapeMovedBy(shape, dx, dy));
  }

  /** Stores the geometry of a shape and its elements. A track gets keyframes on the frame. */
  private putShape(title: string, key: string, frame: number, shape: Shape): void {
    const object = this.document.get(key);
    if (object?.kind === 'shape') this.put(title, key, { kind: 'shape', value: shape });
    if (object?.kind !== 'track') return;
    const track = withKeyframe(object.value, frame, { points: shape.points });
    const elements = track.elements.map((element) => {
      const points = shape.elements.find(({ label_id: id }) => id === element.label_id)?.points;
      return points === undefined ? element : withKeyframe(element, frame, { points });
    });
    this.put(title, key, { kind: 'track', value: { ...track, elements } });
  }

  /** Changes the outline of a shape, or the positions of a skeleton's elements. */
  reshape(
    title: string,
    key: string,
    frame: number,
    change: (shape: Shape) => Pick<Shape, 'points' | 'rotation'>,
  ): void {
    const shape = this.shapeAt(key, frame);
    if (shape === undefined) return;
    const { points, rotation } = change(shape);
    if (!hasArea({ type: shape.type, points })) return this.notify(); // so that the canvas shows it as it was
    if (shape.type !== 'skeleton') this.changeShape(title, key, frame, { points, rotation });
    else this.putShape(title, key, frame, withElementsAt(shape, points));
  }

  /** Replaces the outline of an object, or fits its skeleton into a box, as if it was drawn anew. */
  redraw(key: string, frame: number, points: readonly number[]): void {
    this.reshape(`Redraw ${this.shapeAt(key, frame)?.type}`, key, frame, (shape) => {
      if (shape.type !== 'skeleton') return { points: [...points], rotation: 0 };
      const fitted = new Map(
        this.elementsIn(points, shape.label_id, frame).map((element) => [element.label_id, element.points]),
      );
      const elements = shape.elements.map((element) => ({
        ...element,
        points: fitted.get(element.label_id) ?? element.points,
      }));
      return { points: draggablePoints({ ...shape, elements }), rotation: 0 };
    });
  }

  /** Changes the state of an element of a skeleton. If the object is a track, adds a keyframe of the element. */
  changeElement(key: string, frame: number, at: number, change: Pick<ShapeChange, 'occluded' | 'outside'>): void {
    const object = this.document.get(key);
    if (object?.kind === 'shape') {
      const elements = object.value.elements.map((element, i) => (i === at ? { ...element, ...change } : element));
      this.put('Change element', key, { kind: 'shape', value: { ...object.value, elements } });
    }
    if (object?.kind === 'track') {
      const elements = object.value.elements.map((element, i) =>
        i === at ? withKeyframe(element, frame, change) : element,
      );
      this.put('Change element', key, { kind: 'track', value: { ...object.value, elements } });
    }
  }

  /** Splits a track into one that ends before the frame and one that starts on it. */
  split(key: string, frame: number): void {
    const object = this.document.get(key);
    if (object?.kind !== 'track') return;
    const parts = splitTrack(object.value, frame, this.mutable(object.value.label_id));
    if (parts === undefined) return;
    const [first, second] = parts.map((value): EditedObject => ({ kind: 'track', value }));
    this.change('Split track', [
      [key, first],
      [newKey('track'), second],
    ]);
  }

  /** Changes the label, and resets the attributes to the defaults of the new label. */
  setLabel(key: string, labelId: number): void {
    const object = this.document.get(key);
    if (object === undefined || object.value.label_id === labelId) return;
    const attributes = this.defaultAttributes(labelId);
    if (object.kind === 'track') {
      const value = withLabel(object.value, labelId, attributes, this.mutable(labelId));
      this.put('Change label', key, { kind: 'track', value });
    } else
      this.put('Change label', key, {
        ...object,
        value: { ...object.value, label_id: labelId, attributes },
      } as EditedObject);
  }

  /** Sets an attribute. A mutable attribute of a track changes only from this frame on. */
  setAttribute(key: string, frame: number, attribute: AttributeValue): void {
    const object = this.document.get(key);
    if (object === undefined) return;
    if (object.kind === 'track' && this.mutable(object.value.label_id).has(attribute.spec_id)) {
      this.put('Change attribute', key, {
        kind: 'track',
        value: withKeyframeAttribute(object.value, frame, attribute),
      });
      return;
    }
    const others = object.value.attributes.filter(({ spec_id: id }) => id !== attribute.spec_id);
    const value = { ...object.value, attributes: [...others, attribute] };
    this.put('Change attribute', key, { ...object, value } as EditedObject);
  }

  /** Adds a keyframe on the frame, or removes it. */
  toggleKeyframe(key: string, frame: number): void {
    const object = this.document.get(key);
    if (object?.kind !== 'track') return;
    const track = isKeyframe(object.value, frame)
      ? withoutKeyframe(object.value, frame)
      : withKeyframe(object.value, frame, {});
    this.put('Change keyframe', key, { kind: 'track', value: track });
  }

  copy(keys: readonly string[], frame: number): void {
    const shapes = keys.flatMap((key) => this.shapeAt(key, frame) ?? []);
    if (shapes.length > 0) this.clipboard = shapes;
  }

  /**
   * Adds the copied shapes to a frame.
   * @param at the position of their centre; undefined: where they were
   * @returns their keys
   */
  paste(frame: number, at?: Point): readonly string[] {
    const [first] = this.clipboard;
    if (first === undefined) return [];
    const { dx, dy } = at === undefined ? { dx: 0, dy: 0 } : offsetTo(this.clipboard, at);
    const copies = this.clipboard.map((shape): EditedObject => ({
      kind: 'shape',
      value: { ...shapeMovedBy(copiedTo(shape, frame), dx, dy), outside: false },
    }));
    return this.add(copies.length === 1 ? `Paste ${first.type}` : `Paste ${copies.length} objects`, copies);
  }

  /** Adds copies of shapes to other frames. */
  propagate(keys: readonly string[], frame: number, frames: readonly number[]): void {
    const shapes = keys.flatMap((key) => this.shapeAt(key, frame) ?? []);
    const copies = shapes.flatMap((shape) =>
      frames.map((to): EditedObject => ({ kind: 'shape', value: copiedTo(shape, to) })),
    );
    if (copies.length > 0) this.add(`Propagate ${shapes.length === 1 ? shapes[0]?.type : 'objects'}`, copies);
  }

  /** Puts objects into a new group, or into none. */
  group(keys: readonly string[], isGroup: boolean): void {
    const used = Array.from(this.document.entries(), ([, { value }]) => value.group ?? 0);
    const group = isGroup ? used.reduce((most, number) => Math.max(most, number), 0) + 1 : 0;
    const changed = keys.flatMap((key) => {
      const object = this.document.get(key);
      return object === undefined
        ? []
        : [[key, { ...object, value: { ...object.value, group } } as EditedObject] as const];
    });
    this.change(isGroup ? 'Group' : 'Ungroup', changed);
  }

  /**
   * Merges shapes and tracks into one track. Tags among the objects stay.
   * @param stop last frame of the job
   * @returns the key of the track
   * @throws Error if they cannot be merged
   */
  merge(keys: readonly string[], stop: number): string {
    const objects = new Map<string, EditedObject>();
    for (const key of keys) {
      const object = this.document.get(key);
      if (object !== undefined && object.kind !== 'tag') objects.set(key, object);
    }
    const [first] = objects.values();
    const merged = mergeObjects([...objects.values()], stop, this.mutable(first?.value.label_id ?? 0));
    if ('problem' in merged) throw new Error(merged.problem);
    const track = newKey('track');
    this.change('Merge', [...Array.from(objects.keys(), (key) => [key, undefined] as const), [track, merged.object]]);
    return track;
  }

  /**
   * Replaces shapes by others on the same frame, which have the label and the state of the first one. The first one is kept
   * if its type stays the same.
   * @returns the keys of the shapes
   */
  replace(title: string, keys: readonly string[], shapes: readonly Geometry[]): string[] {
    const [first] = keys;
    const base = first === undefined ? undefined : this.document.get(first);
    if (first === undefined || base?.kind !== 'shape') return [];
    const replaced = shapes.map((geometry, at): readonly [string, EditedObject] => {
      const isKept = at === 0 && geometry.type === base.value.type;
      return [isKept ? first : newKey('shape'), { kind: 'shape', value: { ...base.value, ...geometry } }];
    });
    const kept = new Set(replaced.map(([key]) => key));
    const removed = keys.filter((key) => !kept.has(key)).map((key) => [key, undefined] as const);
    this.change(title, [...replaced, ...removed]);
    return [...kept];
  }

  undo(): void {
    this.applied(this.document.undo());
  }

  redo(): void {
    this.applied(this.document.redo());
  }

  /** A number that grows with every change of an object; 0 if it has not changed since the job was opened. */
  readonly changedAt = (key: string): number => this.changed.get(key) ?? 0;

  private applied(operation: Operation | undefined): void {
    if (operation === undefined) return;
    for (const { key } of operation.changes) this.changed.set(key, this.changes + 1);
    this.notify();
  }

  /** @returns the keys of the objects */
  private add(title: string, objects: readonly EditedObject[]): string[] {
    const added = objects.map((object) => [newKey(object.kind), object] as const);
    this.change(title, added);
    return added.map(([key]) => key);
  }

  private put(title: string, key: string, object: EditedObject): void {
    this.change(title, [[key, object]]);
  }

  private change(title: string, objects: readonly (readonly [string, EditedObject | undefined])[]): void {
    this.document.change(title, objects);
    for (const [key] of objects) this.changed.set(key, this.changes + 1);
    this.notify();
  }

  /** The elements of a new skeleton: the template of its label, fitted into a box. */
  private elementsIn(box: readonly number[], labelId: number, frame: number): ShapeElement[] {
    const nodes = skeletonNodes(this.labels.find(({ id }) => id === labelId)?.svg ?? '');
    const fit = (values: readonly number[], from = 0, to = 0): number[] => {
      const [least, most] = [Math.min(...values), Math.max(...values)];
      return values.map((value) =>
        roundCoordinate(most === least ? (from + to) / 2 : from + ((value - least) / (most - least)) * (to - from)),
      );
    };
    const xs = fit(
      nodes.map(({ x }) => x),
      box[0],
      box[2],
    );
    const ys = fit(
      nodes.map(({ y }) => y),
      box[1],
      box[3],
    );
    return nodes.map(({ labelId: elementLabel }, at) =>
      this.newElement('points', elementLabel, frame, [xs[at] ?? 0, ys[at] ?? 0]),
    );
  }

  private newElement(type: ShapeType, labelId: number, frame: number, points: number[]): ShapeElement {
    return {
      id: null,
      label_id: labelId,
      group: 0,
      source: 'manual',
      attributes: this.defaultAttributes(labelId),
      type,
      frame,
      occluded: false,
      outside: false,
      z_order: 0,
      rotation: 0,
      points,
      score: 1,
    };
  }

  private defaultAttributes(labelId: number): AttributeValue[] {
    const label = this.labels.flatMap((one) => [one, ...(one.sublabels ?? [])]).find(({ id }) => id === labelId);
    return (label?.attributes ?? []).map((attribute) => ({
      spec_id: attribute.id ?? 0,
      value: attribute.default_value ?? '',
    }));
  }

  /** Ids of the mutable attributes of a label. */
  private mutable(labelId: number): ReadonlySet<number> {
    const { attributes = [] } = this.labels.find(({ id }) => id === labelId) ?? {};
    return new Set(attributes.flatMap(({ id, mutable }) => (mutable && id !== undefined ? [id] : [])));
  }
}

/** Whether objects of the type can have the label. Skeletons need a label with a template. */
export const allowsType = (label: Pick<Label, 'type'>, type: SceneObject['type']): boolean =>
  label.type === type || (label.type === 'any' && type !== 'skeleton');

const newKey = (kind: EditedObject['kind']): string => `${kind}:new-${randomId()}`;

/** @returns the distance from the centre of shapes to a position */
function offsetTo(shapes: readonly Shape[], { x, y }: Point): { readonly dx: number; readonly dy: number } {
  const bounds = boundsOf(shapes.flatMap((shape) => [shape, ...shape.elements]).flatMap((shape) => drawingsOf(shape)));
  if (bounds === undefined) return { dx: 0, dy: 0 };
  return { dx: x - (bounds.left + bounds.right) / 2, dy: y - (bounds.top + bounds.bottom) / 2 };
}

const copiedTo = (shape: Shape, frame: number): Shape => ({
  ...shape,
  id: null,
  frame,
  elements: shape.elements.map((element) => ({ ...element, id: null, frame })),
});
