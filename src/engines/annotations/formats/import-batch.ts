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

import { type FileLocation, refuse } from './format-error.js';

/** Limit of one batch: the number of objects, or of their coordinates. */
const MAX_WEIGHT = 20_000;
const OBJECT_WEIGHT = 10;

const MAX_INT = 2 ** 31 - 1;
const MAX_SOURCE = 16;

/** Validates imported annotations and collects them in batches of bounded size. */
export class ImportBatch {
  private data = emptyData();
  private weight = 0;

  get isFull(): boolean {
    return this.weight >= MAX_WEIGHT;
  }

  get isEmpty(): boolean {
    return this.weight === 0;
  }

  /** Returns the current batch and starts a new one. */
  take(): LabeledData {
    const { data } = this;
    this.data = emptyData();
    this.weight = 0;
    return data;
  }

  addTag(tag: Tag, location: FileLocation): void {
    checkLabeled(tag, location);
    this.data.tags.push(tag);
    this.weight += OBJECT_WEIGHT;
  }

  addShape(shape: Shape, location: FileLocation): void {
    checkLabeled(shape, location);
    checkGeometry(shape, location);
    for (const element of shape.elements) this.checkElement(element, location);
    if (shape.type === 'skeleton' && shape.elements.length === 0) refuse(location, 'a skeleton without elements');
    this.data.shapes.push(shape);
    this.weight += OBJECT_WEIGHT + shape.points.length;
  }

  addTrack(track: Track, location: FileLocation): void {
    checkLabeled(track, location);
    for (const part of [track, ...track.elements]) {
      for (const shape of part.shapes) this.checkKeyframe(shape, location);
    }
    this.data.tracks.push(track);
    this.weight += OBJECT_WEIGHT;
  }

  private checkElement(element: ShapeElement, location: FileLocation): void {
    if (element.type === 'skeleton') refuse(location, 'a skeleton within a skeleton');
    checkLabeled(element, location);
    checkGeometry(element, location);
    this.weight += OBJECT_WEIGHT + element.points.length;
  }

  private checkKeyframe(shape: TrackedShape, location: FileLocation): void {
    checkGeometry(shape, location);
    this.weight += OBJECT_WEIGHT + shape.points.length;
  }
}

function checkLabeled(labeled: { group: number | null; source: string }, location: FileLocation): void {
  const { group, source } = labeled;
  if (group !== null && !(Number.isInteger(group) && group >= 0 && group <= MAX_INT)) {
    refuse(location, `group ${group} is not a whole number from 0 to ${MAX_INT}`);
  }
  if (source.length > MAX_SOURCE) refuse(location, `the source of an annotation is longer than ${MAX_SOURCE}`);
}

function checkGeometry(shape: Omit<TrackedShape, 'id' | 'attributes'>, location: FileLocation): void {
  if (!Number.isInteger(shape.z_order) || Math.abs(shape.z_order) > MAX_INT) {
    refuse(location, `z-order ${shape.z_order} is not a whole number`);
  }
  if (!(shape.rotation >= 0 && shape.rotation <= 360))
    refuse(location, `rotation ${shape.rotation} is not from 0 to 360`);
  const wrong = shape.points.find((value) => !isCoordinate(value));
  if (wrong !== undefined) {
    const fault = Number.isFinite(wrong) ? 'beyond what annotations may have' : 'not a number';
    refuse(location, `a ${shape.type} has a coordinate that is ${fault}`);
  }
  const fault = pointsFault(shape.type, shape.points);
  if (fault !== undefined) refuse(location, fault);
}
