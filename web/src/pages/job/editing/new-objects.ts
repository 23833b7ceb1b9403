import type { EditedObject } from '#shared/annotations/editing/edited-object';
import { roundCoordinate } from '#shared/annotations/editing/geometry';
import { trackFrom } from '#shared/annotations/editing/tracks';
import type { AttributeValue, Shape, ShapeElement, ShapeType, Tag } from '#shared/annotations/model';
import type { Label } from '../../../app/api';
import { randomId } from '../../../app/random-id';
import { NEW_KEY, type SceneObject } from '../scene/scene';
import { skeletonNodes } from '../scene/skeleton';

/** Whether objects of the type can have the label. Skeletons need a label with a template. */
export const allowsType = (label: Pick<Label, 'type'>, type: SceneObject['type']): boolean =>
  label.type === type || (label.type === 'any' && type !== 'skeleton');

/** @returns a key for an object that is not saved yet */
export const newKey = (kind: EditedObject['kind']): string => `${kind}${NEW_KEY}${randomId()}`;

export interface DrawnShape {
  readonly type: ShapeType;
  /** Of a skeleton: the box into which its template is fitted. */
  readonly points: number[];
  readonly frame: number;
  readonly labelId: number;
  readonly isTrack: boolean;
  /** Default: manual. */
  readonly source?: string;
}

/** Objects as they are when they have just been created: with the default values of the attributes of their labels. */
export class NewObjects {
  /** @param labels that objects can have now */
  constructor(private readonly labels: () => readonly Label[]) {}

  drawn({ type, points, frame, labelId, isTrack, source = 'manual' }: DrawnShape): EditedObject {
    const isSkeleton = type === 'skeleton';
    const shape: Shape = {
      ...this.element(type, labelId, frame, isSkeleton ? [] : points),
      source,
      elements: isSkeleton ? this.elementsIn(points, labelId, frame) : [],
    };
    return isTrack
      ? { kind: 'track', value: trackFrom(shape, this.mutable(labelId)) }
      : { kind: 'shape', value: shape };
  }

  tag(frame: number, labelId: number): EditedObject {
    const attributes = this.defaultAttributes(labelId);
    const value: Tag = { id: null, label_id: labelId, group: 0, source: 'manual', attributes, frame };
    return { kind: 'tag', value };
  }

  mask({ points, frame, label_id: labelId }: Pick<Shape, 'points' | 'frame' | 'label_id'>): EditedObject {
    return { kind: 'shape', value: { ...this.element('mask', labelId, frame, points), elements: [] } };
  }

  /** The elements of a new skeleton: the template of its label, fitted into a box. */
  elementsIn(box: readonly number[], labelId: number, frame: number): ShapeElement[] {
    const nodes = skeletonNodes(this.labels().find(({ id }) => id === labelId)?.svg ?? '');
    const xs = fitted(
      nodes.map(({ x }) => x),
      box[0],
      box[2],
    );
    const ys = fitted(
      nodes.map(({ y }) => y),
      box[1],
      box[3],
    );
    return nodes.map(({ labelId: elementLabel }, at) =>
      this.element('points', elementLabel, frame, [xs[at] ?? 0, ys[at] ?? 0]),
    );
  }

  defaultAttributes(labelId: number): AttributeValue[] {
    const label = this.labels()
      .flatMap((one) => [one, ...(one.sublabels ?? [])])
      .find(({ id }) => id === labelId);
    return (label?.attributes ?? []).map((attribute) => ({
      spec_id: attribute.id ?? 0,
      value: attribute.default_value ?? '',
    }));
  }

  /** Ids of the mutable attributes of a label. */
  mutable(labelId: number): ReadonlySet<number> {
    const { attributes = [] } = this.labels().find(({ id }) => id === labelId) ?? {};
    return new Set(attributes.flatMap(({ id, mutable }) => (mutable && id !== undefined ? [id] : [])));
  }

  private element(type: ShapeType, labelId: number, frame: number, points: number[]): ShapeElement {
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
}

/** Coordinates scaled to an interval. If all are the same, they are moved to its centre. */
function fitted(values: readonly number[], from = 0, to = 0): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.map((value) =>
    roundCoordinate(most === least ? (from + to) / 2 : from + ((value - least) / (most - least)) * (to - from)),
  );
}
