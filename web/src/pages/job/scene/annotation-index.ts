import type { AnnotationDocument } from '#shared/annotations/editing/document';
import type { EditedObject } from '#shared/annotations/editing/edited-object';
import { draggablePoints } from '#shared/annotations/editing/geometry';
import { attributesAt } from '#shared/annotations/editing/tracks';
import { TrackFrames } from '#shared/annotations/interpolate';
import type { AttributeValue, Shape, ShapeElement, Tag } from '#shared/annotations/model';
import { boundsOf, type Drawing, drawingsOf } from './drawing';
import { cleanColor, type SceneAttribute, type SceneElement, type SceneObject } from './scene';
import { type SkeletonEdge, skeletonEdges } from './skeleton';

/** Fields of a label that the page uses. Sublabels have no sublabels. */
export interface IndexedLabel {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly attributes: readonly { readonly id: number; readonly name: string }[];
  readonly sublabels?: readonly IndexedLabel[];
  readonly svg?: string | undefined;
}

interface LabelFacts {
  readonly name: string;
  readonly color: string;
  readonly attributeNames: ReadonlyMap<number, string>;
  readonly edges: readonly SkeletonEdge[];
}

const UNKNOWN: LabelFacts = { name: 'unknown label', color: cleanColor(''), attributeNames: new Map(), edges: [] };

/** A track prepared for queries of many frames. */
interface TrackFacts {
  readonly frames: TrackFrames;
  readonly keyframes: readonly number[];
}

/** What the list and the canvas show of a job's annotations, frame by frame. */
export class AnnotationIndex {
  private readonly labels = new Map<number, LabelFacts>();
  /** Objects are never modified, so what was made of one stays valid, except for its id. */
  private shown = new WeakMap<EditedObject, SceneObject>();
  private readonly tracks = new WeakMap<EditedObject, TrackFacts>();

  constructor(
    private readonly document: AnnotationDocument,
    labels: readonly IndexedLabel[],
  ) {
    for (const label of labels) this.addLabel(label);
  }

  /**
   * @param tracks keys of the tracks that are wanted; undefined: all
   * @returns the objects of a frame in drawing order, lowest layer first
   */
  at(frame: number, tracks?: readonly string[]): SceneObject[] {
    const objects: SceneObject[] = [];
    for (const [key, object] of this.document.at(frame, tracks)) {
      const shown = object.kind === 'track' ? this.trackObject(key, object, frame) : this.frameObject(key, object);
      if (shown !== undefined) objects.push(shown);
    }
    return objects.sort((a, b) => a.zOrder - b.zOrder || orderOf(a) - orderOf(b));
  }

  /** All tracks, each on its first keyframe. */
  allTracks(): SceneObject[] {
    const tracks: SceneObject[] = [];
    for (const [key, object] of this.document.entries()) {
      if (object.kind !== 'track') continue;
      const shown = this.trackObject(key, object, this.trackFacts(object).keyframes[0] ?? 0);
      if (shown !== undefined) tracks.push(shown);
    }
    return tracks;
  }

  /** Frames with tags, shapes or keyframes. */
  annotatedFrames(): Set<number> {
    return this.document.annotatedFrames();
  }

  private frameObject(key: string, object: Exclude<EditedObject, { kind: 'track' }>): SceneObject {
    const id = this.document.idOf(key) ?? 0;
    const known = this.shown.get(object);
    if (known?.id === id) return known;
    const shown =
      object.kind === 'tag' ? this.tagObject(key, id, object.value) : this.shapeObject(key, id, object.value);
    this.shown.set(object, shown);
    return shown;
  }

  private trackObject(key: string, object: EditedObject & { kind: 'track' }, frame: number): SceneObject | undefined {
    const { frames, keyframes } = this.trackFacts(object);
    const shape = frames.at(frame);
    if (shape === undefined) return undefined;
    const attributes = attributesAt(object.value, frame);
    const id = this.document.idOf(key) ?? 0;
    return { ...this.shapeObject(key, id, { ...shape, attributes }), kind: 'track', keyframes };
  }

  private trackFacts(object: EditedObject & { kind: 'track' }): TrackFacts {
    const known = this.tracks.get(object);
    if (known !== undefined) return known;
    const frames = new TrackFrames(object.value);
    const facts = { frames, keyframes: frames.keyframeNumbers() };
    this.tracks.set(object, facts);
    return facts;
  }

  /** Adds new labels and replaces changed ones. Objects keep the names of deleted labels. */
  addLabels(labels: readonly IndexedLabel[]): void {
    for (const label of labels) this.addLabel(label);
    this.shown = new WeakMap();
  }

  private addLabel(label: IndexedLabel): void {
    this.labels.set(label.id, {
      name: label.name,
      color: cleanColor(label.color),
      attributeNames: new Map(label.attributes.map(({ id, name }) => [id, name])),
      edges: label.svg === undefined ? [] : skeletonEdges(label.svg),
    });
    for (const sublabel of label.sublabels ?? []) this.addLabel(sublabel);
  }

  private tagObject(key: string, id: number, tag: Readonly<Tag>): SceneObject {
    const { name, color } = this.label(tag.label_id);
    return {
      key,
      kind: 'tag',
      id,
      type: 'tag',
      labelId: tag.label_id,
      labelName: name,
      labelColor: color,
      group: tag.group ?? 0,
      source: tag.source,
      score: 1,
      occluded: false,
      outside: false,
      zOrder: 0,
      rotation: 0,
      attributes: this.named(tag),
      elements: [],
      keyframes: [],
      drawings: [],
      bounds: undefined,
      points: [],
    };
  }

  private shapeObject(key: string, id: number, shape: Readonly<Shape>): SceneObject {
    const { name, color } = this.label(shape.label_id);
    const drawings = shape.outside ? [] : this.drawings(shape);
    return {
      key,
      kind: 'shape',
      id,
      type: shape.type,
      labelId: shape.label_id,
      labelName: name,
      labelColor: color,
      group: shape.group ?? 0,
      source: shape.source,
      score: shape.score,
      occluded: shape.occluded,
      outside: shape.outside,
      zOrder: shape.z_order,
      rotation: shape.rotation,
      attributes: this.named(shape),
      elements: shape.elements.map((element) => this.element(element)),
      keyframes: [],
      drawings,
      bounds: boundsOf(drawings),
      points: draggablePoints(shape),
    };
  }

  /** Draws a skeleton: edges between its visible elements, then the elements. */
  private drawings(shape: Readonly<Shape>): Drawing[] {
    const visible = shape.elements.filter(({ outside }) => !outside);
    const places = new Map(visible.map((element) => [element.label_id, centreOf(element)]));
    const edges = this.label(shape.label_id).edges.flatMap(({ from, to }): Drawing[] => {
      const [start, end] = [places.get(from), places.get(to)];
      if (start === undefined || end === undefined) return [];
      return [{ kind: 'path', points: [...start, ...end], closed: false, filled: false }];
    });
    return [...drawingsOf(shape), ...edges, ...visible.flatMap((element) => drawingsOf(element))];
  }

  private element(element: ShapeElement): SceneElement {
    const { occluded, outside } = element;
    return { labelName: this.label(element.label_id).name, occluded, outside, attributes: this.named(element) };
  }

  private named({
    label_id: labelId,
    attributes,
  }: Readonly<{ label_id: number; attributes: AttributeValue[] }>): SceneAttribute[] {
    const { attributeNames } = this.label(labelId);
    return attributes.map(({ spec_id: id, value }) => ({
      id,
      name: attributeNames.get(id) ?? `attribute ${id}`,
      value,
    }));
  }

  private label(id: number): LabelFacts {
    return this.labels.get(id) ?? UNKNOWN;
  }
}

/** New objects are above those of the server. */
const orderOf = ({ id }: SceneObject): number => (id === 0 ? Number.MAX_SAFE_INTEGER : id);

/** @returns where edges of a skeleton end at an element: its point, or the centre of its bounding box */
function centreOf(element: ShapeElement): [number, number] {
  if (element.points.length === 2) return [element.points[0] ?? 0, element.points[1] ?? 0];
  const bounds = boundsOf(drawingsOf(element));
  return bounds === undefined ? [0, 0] : [(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2];
}
