import { SHAPE_TYPES } from '../../shared/annotations/model.js';
import { safeDrawing } from '../annotations/skeleton-drawing.js';
import type { FunctionAttribute, FunctionLabel } from './label-spec.js';
import { isObject } from './response-item.js';

export const FUNCTION_KINDS = ['detector', 'interactor', 'reid', 'tracker'] as const;
export type FunctionKind = (typeof FUNCTION_KINDS)[number];

/** A label as functions with Nuclio's protocol describe it. */
export interface DescribedLabel extends FunctionLabel {
  readonly sublabels?: readonly DescribedLabel[];
  /** The drawing of a skeleton. */
  readonly svg?: string;
}

/** What an HTTP function says about itself. */
export interface FunctionDescription {
  /** Letters, digits and `_.-`. */
  readonly id: string;
  readonly kind: FunctionKind;
  readonly name: string;
  readonly description: string;
  readonly version: number;
  readonly labels: readonly DescribedLabel[];
  /** Only for interactors. -1: negative points are not allowed. */
  readonly minPosPoints: number;
  readonly minNegPoints: number;
  readonly startsWithBox: boolean;
  readonly startsWithBoxOptional: boolean;
  /** Only for trackers. Null: rectangles, in the old form of the protocol. */
  readonly shapeTypes: readonly string[] | null;
  readonly helpMessage: string;
  readonly animatedGif: string;
}

/** A description that cannot be used. The message is a sentence without a full stop. */
export class DescriptionInvalid extends Error {
  override readonly name = 'DescriptionInvalid';
}

type Values = Readonly<Record<string, unknown>>;

const ID = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,199}$/;
const MAX_TEXT = 10_000;
const MAX_LABELS = 10_000;

/**
 * Reads the description of a function: an item of Nuclio's API, whose annotations are texts, or an object with the
 * same keys as JSON values.
 * @throws DescriptionInvalid
 */
export function readDescription(sent: unknown): FunctionDescription {
  const item = objectOf(sent, 'The description');
  const nuclio = item['metadata'] === undefined ? null : objectOf(item['metadata'], 'metadata');
  const values = nuclio === null ? item : objectOf(nuclio['annotations'] ?? {}, 'metadata.annotations');
  const id = idOf((nuclio ?? item)[nuclio === null ? 'id' : 'name']);
  const about = nuclio === null ? item['description'] : isObject(item['spec']) ? item['spec']['description'] : '';
  const kind = FUNCTION_KINDS.find((known) => known === (values['type'] ?? values['kind']));
  if (kind === undefined) throw new DescriptionInvalid(`type must be one of ${FUNCTION_KINDS.join(', ')}`);
  const name = textOf(values['name']);
  return {
    id,
    kind,
    name: name === '' ? id : name,
    description: textOf(about),
    version: integerOf(values, 'version', 1),
    labels: kind === 'detector' ? labelsOf(values['spec'] ?? values['labels'] ?? []) : [],
    minPosPoints: integerOf(values, 'min_pos_points', 1),
    minNegPoints: integerOf(values, 'min_neg_points', -1),
    startsWithBox: flagOf(values['startswith_box']),
    startsWithBoxOptional: flagOf(values['startswith_box_optional']),
    shapeTypes: kind === 'tracker' ? shapeTypesOf(values['supported_shape_types']) : null,
    helpMessage: textOf(values['help_message']),
    animatedGif: textOf(values['animated_gif']),
  };
}

/** Numbers alone would be ids of functions of agents. */
function idOf(value: unknown): string {
  if (typeof value === 'string' && ID.test(value) && !/^\d+$/.test(value)) return value;
  throw new DescriptionInvalid('the id must consist of letters, digits and _.- and must not be a number');
}

function labelsOf(sent: unknown): DescribedLabel[] {
  const list = typeof sent === 'string' ? parsed(sent) : sent;
  if (!Array.isArray(list)) throw new DescriptionInvalid('spec must be a list of labels');
  if (list.length > MAX_LABELS) throw new DescriptionInvalid(`spec has more than ${MAX_LABELS} labels`);
  const labels = (list as unknown[]).map((label) => labelOf(label));
  requireUnique(labels, 'labels');
  return labels;
}

function labelOf(sent: unknown, fallback = 'any'): DescribedLabel {
  const label = objectOf(sent, 'A label');
  const name = textOf(label['name']);
  if (name === '') throw new DescriptionInvalid('a label has no name');
  const type = label['type'] ?? fallback;
  if (typeof type !== 'string' || !(type === 'any' || type === 'tag' || SHAPE_TYPES.some((known) => known === type)))
    throw new DescriptionInvalid(`the label "${name}" has an unknown type`);
  const attributes = listOf(label['attributes'] ?? [], `attributes of "${name}"`).map(attributeOf);
  requireUnique(attributes, `attributes of "${name}"`);
  if (type !== 'skeleton') return { name, type, attributes };
  if (label['sublabels'] === undefined || label['svg'] === undefined)
    throw new DescriptionInvalid(`the skeleton "${name}" needs sublabels and svg`);
  const sublabels = listOf(label['sublabels'], `sublabels of "${name}"`).map((one) => labelOf(one, 'points'));
  requireUnique(sublabels, `sublabels of "${name}"`);
  return { name, type, attributes, sublabels, svg: typeof label['svg'] === 'string' ? safeDrawing(label['svg']) : '' };
}

function attributeOf(sent: unknown): FunctionAttribute {
  const { name, input_type: type = 'text', values = [] } = objectOf(sent, 'An attribute');
  if (typeof name !== 'string' || name === '' || typeof type !== 'string')
    throw new DescriptionInvalid('an attribute needs a name and an input_type');
  return { name, input_type: type, values: listOf(values, `values of "${name}"`).map(String) };
}

function requireUnique(list: readonly { readonly name: string }[], what: string): void {
  const names = new Set(list.map(({ name }) => name));
  if (names.size !== list.length) throw new DescriptionInvalid(`two ${what} have the same name`);
}

/** @returns null if nothing is declared */
function shapeTypesOf(sent: unknown): readonly string[] | null {
  if (sent === undefined || sent === null) return null;
  const list = typeof sent === 'string' ? sent.split(',') : listOf(sent, 'supported_shape_types');
  const types = list.map((type) => String(type).trim()).filter((type) => type !== '');
  if (types.length === 0) throw new DescriptionInvalid('supported_shape_types is empty');
  const unknown = types.find((type) => !SHAPE_TYPES.some((known) => known === type));
  if (unknown !== undefined) throw new DescriptionInvalid(`"${unknown}" is not a type of shapes`);
  return types;
}

function listOf(value: unknown, what: string): unknown[] {
  if (Array.isArray(value) && value.length <= MAX_LABELS) return value as unknown[];
  throw new DescriptionInvalid(`${what} must be a list of at most ${MAX_LABELS} elements`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DescriptionInvalid('spec is not valid JSON');
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_TEXT) : '');

function integerOf(values: Values, key: string, fallback: number): number {
  const value = values[key];
  if (value === undefined || value === '') return fallback;
  const number = Number(value);
  if (!Number.isInteger(number)) throw new DescriptionInvalid(`${key} must be an integer`);
  return number;
}

/** Texts, because Nuclio keeps no other type. */
const flagOf = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && ['true', '1', 'yes', 'on'].includes(value.trim().toLowerCase()));

function objectOf(value: unknown, what: string): Values {
  if (isObject(value)) return value;
  throw new DescriptionInvalid(`${what} must be a JSON object`);
}
