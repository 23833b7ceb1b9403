import { storedObjects, type EditedObject } from '#shared/annotations/editing/edited-object';
import {
  type AttributeValue,
  emptyData,
  type LabeledData,
  type Shape,
  type ShapeElement,
  type Tag,
} from '#shared/annotations/model';
import type { Label } from '../../../app/api';
import type { Editor } from '../editing/editor';
import { areNumbers, invalidAnswer, keysOf, listOf } from './checked-answer';

/** What a detector answers. It leaves out fields that have their default value. */
export interface Detections {
  readonly tags?: readonly Partial<Tag>[];
  readonly shapes?: readonly Partial<Shape>[];
}

/**
 * @param labels of the job. Objects with other labels are left out
 * @param frame that was annotated
 * @returns the annotations that a detector has found, as the editor stores them
 */
export function detectedObjects(
  { tags = [], shapes = [] }: Detections,
  frame: number,
  labels: readonly Label[],
): EditedObject[] {
  const known = new Map(
    labels.flatMap((label) => [label, ...(label.sublabels ?? [])]).map((label) => [label.id, label]),
  );
  const base = ({ label_id: id, attributes, source, group }: Partial<Tag>) => ({
    label_id: id ?? 0,
    group: group ?? 0,
    source: source ?? 'auto',
    attributes: withDefaults(attributes ?? [], known.get(id ?? 0)),
  });
  const element = (shape: Partial<ShapeElement>): ShapeElement => ({
    ...base(shape),
    id: null,
    frame,
    type: shape.type ?? 'rectangle',
    points: shape.points ?? [],
    rotation: shape.rotation ?? 0,
    occluded: shape.occluded ?? false,
    outside: shape.outside ?? false,
    z_order: shape.z_order ?? 0,
    score: shape.score ?? 1,
  });
  const isKnown = ({ label_id: id = 0 }: Partial<Tag>): boolean => known.has(id);
  const data: LabeledData = {
    ...emptyData(),
    tags: tags.filter(isKnown).map((tag) => ({ ...base(tag), id: 0, frame })),
    shapes: shapes.filter(isKnown).map((shape) => ({
      ...element(shape),
      id: 0,
      elements: (shape.elements ?? []).filter(isKnown).map(element),
    })),
  };
  return storedObjects(data).map(({ object }) => object);
}

/** The attributes of a label, with their default values where there is none. */
function withDefaults(
  values: readonly AttributeValue[],
  label: Pick<Label, 'attributes'> | undefined,
): AttributeValue[] {
  const given = new Map(values.map(({ spec_id: id, value }) => [id, value]));
  return (label?.attributes ?? []).map(({ id, default_value: value }) => ({
    spec_id: id,
    value: given.get(id) ?? value,
  }));
}

/** @throws FunctionFailed if the answer of a detector is not valid */
export function checkedDetections(answer: unknown): Detections {
  const { tags, shapes } = keysOf(answer);
  const check = (value: unknown): void => {
    const { points, attributes, elements } = keysOf(value);
    if (points !== undefined && points !== null && !areNumbers(points))
      throw invalidAnswer('The function returned a shape whose points are not numbers.');
    listOf(attributes, 'The function returned attributes that are not a list.');
    listOf(elements, 'The function returned elements of a skeleton that are not a list.').forEach(check);
  };
  const text = 'The function did not return a list of objects.';
  const found = { tags: listOf(tags, text), shapes: listOf(shapes, text) };
  [...found.tags, ...found.shapes].forEach(check);
  return found as Detections;
}

/** Adds what a detector has found to a frame, as one step of the undo history. @returns the number of objects */
export function addDetections(editor: Editor, found: unknown, frame: number): number {
  const objects = detectedObjects(checkedDetections(found), frame, editor.labels).filter(
    // A second tag with the same label has no effect.
    ({ kind, value }) => kind !== 'tag' || editor.tagOn(frame, value.label_id) === undefined,
  );
  if (objects.length > 0) editor.add('Detect objects', objects);
  return objects.length;
}
