import type { AnnotationDocument } from '#shared/annotations/editing/document';
import type { EditedObject } from '#shared/annotations/editing/edited-object';
import { hasArea, type Point, shapeMovedBy, withElementsAt } from '#shared/annotations/editing/geometry';
import type { Operation } from '#shared/annotations/editing/history';
import { splitTrack } from '#shared/annotations/editing/tracks';
import type { AttributeValue, Geometry, Shape } from '#shared/annotations/model';
import type { Label } from '../../../app/api';
import { AnnotationIndex } from '../scene/annotation-index';
import { type Change, merging, replacing } from './combining';
import { type DrawnShape, newKey, NewObjects } from './new-objects';
import {
  copiedTo,
  freeGroup,
  pasted,
  redrawn,
  type ShapeChange,
  shapeOf,
  withAttribute,
  withChange,
  withElementChange,
  withGroup,
  withOtherLabel,
  withShape,
  withToggledKeyframe,
} from './object-edits';
import { Unfinished } from './unfinished';

/**
 * The annotations of a job and the actions of a user on them. Each edit is one step of the undo history. The editor calls
 * its listeners after every change.
 */
export class Editor {
  readonly index: AnnotationIndex;
  private readonly listeners = new Set<() => void>();
  private readonly drawingListeners = new Set<() => void>();
  private clipboard: readonly Shape[] = [];
  private changes = 0;
  /** When each object changed last, as a number of changes. */
  private readonly changed = new Map<string, number>();
  private isTogether = false;
  private readonly created = new NewObjects(() => this.labels);
  /** What is being drawn. */
  readonly unfinished: Unfinished;
  /** Called after each step of the undo history, with its title and the number of objects. */
  onOperation: (title: string, count: number) => void = () => undefined;

  /** @param labels that objects can have */
  constructor(
    readonly document: AnnotationDocument,
    public labels: readonly Label[],
  ) {
    this.index = new AnnotationIndex(document, labels);
    this.unfinished = new Unfinished(document, this.created, () => this.notify());
  }

  /** Calls a listener after each object that is drawn. @returns a function that ends this */
  subscribeToDrawings(listener: () => void): () => void {
    this.drawingListeners.add(listener);
    return () => this.drawingListeners.delete(listener);
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
  draw(drawn: DrawnShape): string {
    const [key = ''] = this.add(`Draw ${drawn.type}`, [this.created.drawn(drawn)]);
    for (const listener of this.drawingListeners) listener();
    return key;
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
    this.add('Add tag', [this.created.tag(frame, labelId)]);
  }

  remove(keys: readonly string[]): void {
    this.change(
      'Delete',
      keys.map((key) => [key, undefined] as const),
    );
  }

  /** The shape on a frame, also of a track. Undefined for tags, and on frames where the object does not exist. */
  shapeAt(key: string, frame: number): Shape | undefined {
    return shapeOf(this.document.get(key), frame);
  }

  /** Changes a shape. If the object is a track, adds a keyframe on the frame. */
  changeShape(title: string, key: string, frame: number, change: ShapeChange): void {
    this.edit(title, key, (object) => withChange(object, frame, change));
  }

  /** Moves a shape with its elements. */
  moveBy(key: string, frame: number, dx: number, dy: number): void {
    const shape = this.shapeAt(key, frame);
    if (shape === undefined) return;
    this.edit(`Move ${shape.type}`, key, (object) => withShape(object, frame, shapeMovedBy(shape, dx, dy)));
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
    else this.edit(title, key, (object) => withShape(object, frame, withElementsAt(shape, points)));
  }

  /** Replaces the outline of an object, or fits its skeleton into a box, as if it was drawn anew. */
  redraw(key: string, frame: number, points: readonly number[]): void {
    this.reshape(`Redraw ${this.shapeAt(key, frame)?.type}`, key, frame, (shape) =>
      redrawn(shape, points, (box) => this.created.elementsIn(box, shape.label_id, frame)),
    );
  }

  /** Changes the state of an element of a skeleton. If the object is a track, adds a keyframe of the element. */
  changeElement(key: string, frame: number, at: number, change: Pick<ShapeChange, 'occluded' | 'outside'>): void {
    this.edit('Change element', key, (object) => withElementChange(object, frame, at, change));
  }

  /** Splits a track into one that ends before the frame and one that starts on it. */
  split(key: string, frame: number): void {
    const object = this.document.get(key);
    if (object?.kind !== 'track') return;
    const parts = splitTrack(object.value, frame, this.created.mutable(object.value.label_id));
    if (parts === undefined) return;
    const [first, second] = parts.map((value): EditedObject => ({ kind: 'track', value }));
    this.change('Split track', [
      [key, first],
      [newKey('track'), second],
    ]);
  }

  /** Changes the label, and resets the attributes to the defaults of the new label. */
  setLabel(key: string, labelId: number): void {
    if (this.document.get(key)?.value.label_id === labelId) return;
    const attributes = this.created.defaultAttributes(labelId);
    this.edit('Change label', key, (object) =>
      withOtherLabel(object, labelId, attributes, this.created.mutable(labelId)),
    );
  }

  /** Sets an attribute. A mutable attribute of a track changes only from this frame on. */
  setAttribute(key: string, frame: number, attribute: AttributeValue): void {
    this.edit('Change attribute', key, (object) =>
      withAttribute(object, frame, attribute, this.created.mutable(object.value.label_id)),
    );
  }

  /** Adds a keyframe on the frame, or removes it. */
  toggleKeyframe(key: string, frame: number): void {
    this.edit('Change keyframe', key, (object) => withToggledKeyframe(object, frame));
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
    const copies = pasted(this.clipboard, frame, at);
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
    const group = isGroup ? freeGroup(used) : 0;
    const changed = keys.flatMap((key) => {
      const object = this.document.get(key);
      return object === undefined ? [] : [[key, withGroup(object, group)] as const];
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
    const changes = merging(this.document, keys, stop, this.created);
    this.change('Merge', changes);
    return changes.at(-1)?.[0] ?? '';
  }

  /**
   * Replaces shapes by others on the same frame, which have the label and the state of the first one. The first one is kept
   * if its type stays the same.
   * @returns the keys of the shapes
   */
  replace(title: string, keys: readonly string[], shapes: readonly Geometry[]): string[] {
    const changes = replacing(this.document, keys, shapes);
    if (changes.length > 0) this.change(title, changes);
    return changes.flatMap(([key, object]) => (object === undefined ? [] : [key]));
  }

  undo(): void {
    this.applied(this.document.undo());
    this.onOperation('Undo', 1);
  }

  redo(): void {
    this.applied(this.document.redo());
    this.onOperation('Redo', 1);
  }

  /** A number that grows with every change of an object; 0 if it has not changed since the job was opened. */
  readonly changedAt = (key: string): number => this.changed.get(key) ?? 0;

  private applied(operation: Operation | undefined): void {
    if (operation === undefined) return;
    for (const { key } of operation.changes) this.changed.set(key, this.changes + 1);
    this.notify();
  }

  /** Adds objects in one step of the undo history. @returns their keys */
  add(title: string, objects: readonly EditedObject[]): string[] {
    const added = objects.map((object) => [newKey(object.kind), object] as const);
    this.change(title, added);
    return added.map(([key]) => key);
  }

  /** Replaces an object, if it exists and the edit changes it. */
  private edit(title: string, key: string, change: (object: EditedObject) => EditedObject): void {
    const object = this.document.get(key);
    const changed = object && change(object);
    if (changed !== undefined && changed !== object) this.change(title, [[key, changed]]);
  }

  /** Replaces objects in one step of the undo history. */
  change(title: string, objects: readonly Change[]): void {
    this.document.change(title, objects);
    for (const [key] of objects) this.changed.set(key, this.changes + 1);
    this.notify();
    this.onOperation(title, objects.length);
  }
}
