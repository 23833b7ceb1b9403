import type { AttributeValue, Tag } from '../../../../shared/annotations/model.js';
import type { FrameShape } from '../annotated-frames.js';
import type { DatasetAttribute, DatasetLabel } from '../dataset.js';
import { FormatError, shown } from '../format.js';
import type { LabelNames } from '../label-names.js';
import { decimalText } from './items.js';

/** A property of an annotation as formats write it. */
export interface ItemAttribute {
  readonly name: string;
  readonly value: string | number | boolean;
  /** The value as text: `35.0`, `True`. */
  readonly text: string;
}

/**
 * The attributes of a tag: those of its label, in the order of the label.
 * @throws FormatError if the value of a number attribute is not a number
 */
export const tagAttributes = (tag: Tag, labels: LabelNames): ItemAttribute[] =>
  labelAttributes(tag.attributes, labels.get(tag.label_id).attributes);

/**
 * The attributes of a shape: those of its label, in the order of the label, then `occluded`, `rotation` for rectangles
 * and ellipses, and `track_id` and `keyframe` for shapes of tracks.
 * @throws FormatError if the value of a number attribute is not a number
 */
export function shapeAttributes(shape: FrameShape, labels: LabelNames): ItemAttribute[] {
  const found = labelAttributes(shape.attributes, labels.get(shape.label_id).attributes);
  found.push(flag('occluded', shape.occluded));
  if (shape.type === 'rectangle' || shape.type === 'ellipse') found.push(number('rotation', shape.rotation));
  if (shape.track === undefined) return found;
  found.push({ name: 'track_id', value: shape.track, text: String(shape.track) });
  found.push(flag('keyframe', shape.keyframe === true));
  return found;
}

function labelAttributes(values: readonly AttributeValue[], specs: readonly DatasetAttribute[]): ItemAttribute[] {
  const byId = new Map(values.map(({ spec_id, value }) => [spec_id, value]));
  return specs.map((spec) => typed(spec, byId.get(spec.id) ?? spec.defaultValue));
}

function typed({ name, inputType }: DatasetAttribute, value: string): ItemAttribute {
  if (inputType === 'checkbox') return flag(name, value.toLowerCase() === 'true');
  if (inputType !== 'number') return { name, value, text: value };
  const parsed = value.trim() === '' ? NaN : Number(value);
  if (Number.isFinite(parsed)) return number(name, parsed);
  throw new FormatError(
    'cvat.apps.dataset_manager.bindings.CvatExportError: ' +
      `Failed to convert attribute ${shown(name)}=${shown(value)}: it is not a number`,
  );
}

const flag = (name: string, value: boolean): ItemAttribute => ({ name, value, text: value ? 'True' : 'False' });

const number = (name: string, value: number): ItemAttribute => ({ name, value, text: decimalText(value) });

/** @returns the value of an attribute, or undefined */
export const attributeNamed = (
  attributes: readonly ItemAttribute[],
  name: string,
): ItemAttribute['value'] | undefined => attributes.find((attribute) => attribute.name === name)?.value;

/** Labels by their position in the dataset, elements of skeletons included. */
export const labelPositions = (labels: readonly DatasetLabel[]): Map<number, number> =>
  new Map(labels.map(({ id }, at) => [id, at]));
