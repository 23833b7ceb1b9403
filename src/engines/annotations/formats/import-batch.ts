import {
  emptyData,
  isCoordinate,
  type LabeledData,
  pointsFault,
  type Shape,
  type ShapeElement,
  type Tag,
  type Track,
  type TrackedShape,
} from '../../../shared/annotations/model.js';

import { type Place, refuse } from './format-error.js';

/** What one piece of an import holds at most: objects, or numbers of their points. */
const MAX_WEIGHT = 20_000;
const OBJECT_WEIGHT = 10;

const MAX_INT = 2 ** 31 - 1;
const MAX_SOURCE = 16;

/** Collects imported annotations, checked, into pieces of bounded size. */
export class ImportBatch {
  private data = emptyData();
  private weight = 0;

  get isFull(): boolean {
    return this.weight >= MAX_WEIGHT;
  }

  get isEmpty(): boolean {
    return this.weight === 0;
  }

  /** Hands over what has been collected and starts anew. */
  take(): LabeledData {
    const { data } = this;
    this.data = emptyData();
    this.weight = 0;
    return data;
  }

  addTag(tag: Tag, place: Place): void {
    checkLabeled(tag, place);
    this.data.tags.push(tag);
    this.weight += OBJECT_WEIGHT;
  }

  addShape(shape: Shape, place: Place): void {
    checkLabeled(shape, place);
    checkGeometry(shape, place);
    for (const element of shape.elements) this.checkElement(element, place);
    if (shape.type === 'skeleton' && shape.elements.length === 0) refuse(place, 'a skeleton without elements');
    this.data.shapes.push(shape);
    this.weight += OBJECT_WEIGHT + shape.points.length;
  }

  addTrack(track: Track, place: Place): void {
    checkLabeled(track, place);
    for (const part of [track, ...track.elements]) {
      for (const shape of part.shapes) this.checkKeyframe(shape, place);
    }
    this.data.tracks.push(track);
    this.weight += OBJECT_WEIGHT;
  }

  private checkElement(element: ShapeElement, place: Place): void {
    if (element.type === 'skeleton') refuse(place, 'a skeleton within a skeleton');
    checkLabeled(element, place);
    checkGeometry(element, place);
    this.weight += OBJECT_WEIGHT + element.points.length;
  }

  private checkKeyframe(shape: TrackedShape, place: Place): void {
    checkGeometry(shape, place);
    this.weight += OBJECT_WEIGHT + shape.points.length;
  }
}

function checkLabeled(labeled: { group: number | null; source: string }, place: Place): void {
  const { group, source } = labeled;
  if (group !== null && !(Number.isInteger(group) && group >= 0 && group <= MAX_INT)) {
    refuse(place, `group ${group} is not a whole number from 0 to ${MAX_INT}`);
  }
  if (source.length > MAX_SOURCE) refuse(place, `the source of an annotation is longer than ${MAX_SOURCE}`);
}

function checkGeometry(shape: Omit<TrackedShape, 'id' | 'attributes'>, place: Place): void {
  if (!Number.isInteger(shape.z_order) || Math.abs(shape.z_order) > MAX_INT) {
    refuse(place, `z-order ${shape.z_order} is not a whole number`);
  }
  if (!(shape.rotation >= 0 && shape.rotation <= 360)) refuse(place, `rotation ${shape.rotation} is not from 0 to 360`);
  const wrong = shape.points.find((value) => !isCoordinate(value));
  if (wrong !== undefined) {
    const fault = Number.isFinite(wrong) ? 'beyond what annotations may have' : 'not a number';
    refuse(place, `a ${shape.type} has a coordinate that is ${fault}`);
  }
  const fault = pointsFault(shape.type, shape.points);
  if (fault !== undefined) refuse(place, fault);
}
