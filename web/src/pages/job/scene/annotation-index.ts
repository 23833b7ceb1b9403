import { TrackFrames } from '#shared/annotations/interpolate';
import type { AttributeValue, LabeledData, Shape, ShapeElement, Tag } from '#shared/annotations/model';
import { boundsOf, type Drawing, drawingsOf } from './drawing';
import { cleanColor, type NamedValue, type SceneElement, type SceneObject } from './scene';
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

/** An index of all annotations of a job, to look up those of a frame. */
export class AnnotationIndex {
  private readonly labels = new Map<number, LabelFacts>();
  private readonly tags: ReadonlyMap<number, Tag[]>;
  private readonly shapes: ReadonlyMap<number, Shape[]>;
  private readonly tracks: readonly { readonly frames: TrackFrames; readonly keyframes: readonly number[] }[];

  constructor(data: LabeledData, labels: readonly IndexedLabel[]) {
    for (const label of labels) this.addLabel(label);
    this.tags = grouped(data.tags);
    this.shapes = grouped(data.shapes);
    this.tracks = data.tracks.map((track) => {
      const frames = new TrackFrames(track);
      return { frames, keyframes: frames.keyframeNumbers() };
    });
  }

  /** @returns the objects of a frame in drawing order, lowest layer first */
  at(frame: number): SceneObject[] {
    const objects = [
      ...(this.tags.get(frame) ?? []).map((tag) => this.tagObject(tag)),
      ...(this.shapes.get(frame) ?? []).map((shape) => this.shapeObject(shape, 'shape', [])),
      ...this.tracks.flatMap(({ frames, keyframes }) => {
        const shape = frames.at(frame);
        return shape === undefined ? [] : [this.shapeObject(shape, 'track', keyframes)];
      }),
    ];
    return objects.sort((a, b) => a.zOrder - b.zOrder || a.id - b.id);
  }

  /** Frames with tags, shapes or keyframes. */
  annotatedFrames(): Set<number> {
    const keyframes = this.tracks.flatMap((track) => track.keyframes);
    return new Set([...this.tags.keys(), ...this.shapes.keys(), ...keyframes]);
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

  private tagObject(tag: Tag): SceneObject {
    const { name, color } = this.label(tag.label_id);
    return {
      key: `tag:${tag.id}`,
      kind: 'tag',
      id: tag.id ?? 0,
      type: 'tag',
      labelId: tag.label_id,
      labelName: name,
      labelColor: color,
      group: tag.group ?? 0,
      source: tag.source,
      occluded: false,
      outside: false,
      zOrder: 0,
      rotation: 0,
      attributes: this.named(tag),
      elements: [],
      keyframes: [],
      drawings: [],
      bounds: undefined,
    };
  }

  private shapeObject(shape: Shape, kind: 'shape' | 'track', keyframes: readonly number[]): SceneObject {
    const { name, color } = this.label(shape.label_id);
    const drawings = shape.outside ? [] : this.drawings(shape);
    return {
      key: `${kind}:${shape.id}`,
      kind,
      id: shape.id ?? 0,
      type: shape.type,
      labelId: shape.label_id,
      labelName: name,
      labelColor: color,
      group: shape.group ?? 0,
      source: shape.source,
      occluded: shape.occluded,
      outside: shape.outside,
      zOrder: shape.z_order,
      rotation: shape.rotation,
      attributes: this.named(shape),
      elements: shape.elements.map((element) => this.element(element)),
      keyframes,
      drawings,
      bounds: boundsOf(drawings),
    };
  }

  /** Draws a skeleton: edges between its visible elements, then the elements. */
  private drawings(shape: Shape): Drawing[] {
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

  private named({ label_id: labelId, attributes }: { label_id: number; attributes: AttributeValue[] }): NamedValue[] {
    const { attributeNames } = this.label(labelId);
    return attributes.map(({ spec_id: id, value }) => ({ name: attributeNames.get(id) ?? `attribute ${id}`, value }));
  }

  private label(id: number): LabelFacts {
    return this.labels.get(id) ?? UNKNOWN;
  }
}

function grouped<Item extends { frame: number }>(items: readonly Item[]): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const group = groups.get(item.frame);
    if (group === undefined) groups.set(item.frame, [item]);
    else group.push(item);
  }
  return groups;
}

/** @returns where edges of a skeleton end at an element: its point, or the centre of its bounding box */
function centreOf(element: ShapeElement): [number, number] {
  if (element.points.length === 2) return [element.points[0] ?? 0, element.points[1] ?? 0];
  const bounds = boundsOf(drawingsOf(element));
  return bounds === undefined ? [0, 0] : [(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2];
}
