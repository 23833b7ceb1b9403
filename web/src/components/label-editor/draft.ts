import type { components } from 'cairn-client';
import type { Attribute, Label } from '../../app/api';
import { InvalidInput } from '../../app/invalid-input';
import { tooLong } from '../too-long';

export type LabelChange = components['schemas']['LabelChange'];
export type LabelInput = components['schemas']['LabelInput'];
export type LabelType = NonNullable<LabelInput['type']>;
export type InputType = Attribute['input_type'];

/** An attribute while it is edited; `id` once the server has it. */
export interface DraftAttribute {
  readonly id?: number | undefined;
  readonly name: string;
  readonly input_type: InputType;
  readonly mutable: boolean;
  readonly default_value: string;
  readonly values: readonly string[];
}

/** A label while it is edited; `id` once the server has it. */
export interface DraftLabel {
  /** Identifies drafts that have no ID yet. */
  readonly key: string;
  readonly id?: number | undefined;
  readonly name: string;
  readonly color: string;
  readonly type: LabelType;
  readonly attributes: readonly DraftAttribute[];
  /** Joints of a skeleton. */
  readonly sublabels: readonly DraftSublabel[];
  readonly svg: string;
  /** The label is deleted when the labels are saved. */
  readonly isRemoved?: boolean | undefined;
}

export interface DraftSublabel {
  readonly name: string;
  readonly color?: string | undefined;
  readonly attributes?: readonly DraftAttribute[] | undefined;
}

export const LABEL_TYPES: readonly LabelType[] = [
  'any',
  'rectangle',
  'polygon',
  'polyline',
  'points',
  'ellipse',
  'cuboid',
  'mask',
  'tag',
  'skeleton',
];

export const INPUT_TYPES: readonly InputType[] = ['select', 'radio', 'checkbox', 'text', 'number'];

const PALETTE = [
  '#e6194b',
  '#3cb44b',
  '#4363d8',
  '#f58231',
  '#911eb4',
  '#008080',
  '#9a6324',
  '#f032e6',
  '#808000',
  '#469990',
];

const NAME_LIMIT = 64;
/** Shown by forms whose labels are JSON with an error. */
const JSON_ERROR = 'Correct the JSON of the labels.';
const NAME_ERROR = 'Correct the label names that are marked.';

/** Drafts are kept when the page is reloaded, so keys must not repeat. */
let nextKey = Date.now();

export function newLabel(index: number): DraftLabel {
  nextKey += 1;
  const color = PALETTE[index % PALETTE.length] ?? '#3b6b81';
  return { key: `new-${nextKey}`, name: '', color, type: 'any', attributes: [], sublabels: [], svg: '' };
}

export const newAttribute = (): DraftAttribute => ({
  name: '',
  input_type: 'select',
  mutable: false,
  default_value: '',
  values: [],
});

/** Converts labels of the server to drafts. */
export function toDrafts(labels: readonly Label[]): DraftLabel[] {
  return labels.map((label) => ({
    key: String(label.id),
    id: label.id,
    name: label.name,
    color: label.color,
    type: label.type,
    attributes: label.attributes.map(toDraftAttribute),
    sublabels: label.sublabels.map(({ name, color, attributes }) => ({
      name,
      color,
      attributes: attributes.map(toDraftAttribute),
    })),
    svg: label.svg ?? '',
  }));
}

const toDraftAttribute = ({ id, name, input_type, mutable, default_value, values }: Attribute): DraftAttribute => ({
  id,
  name,
  input_type,
  mutable,
  default_value,
  values,
});

/** Converts drafts to the labels of a new project or task. @throws InvalidInput */
export function toInputs(drafts: readonly DraftLabel[], jsonProblem: string | null): LabelInput[] {
  const problem = labelsProblem(drafts, jsonProblem);
  if (problem !== null) throw new InvalidInput({ labels: problem });
  return drafts.map((draft) => {
    const { key: _key, id: _id, ...label } = toWire(draft);
    return label as LabelInput;
  });
}

/** @returns the created, changed and deleted labels */
export function toChanges(before: readonly DraftLabel[], drafts: readonly DraftLabel[]): LabelChange[] {
  const rest = drafts.filter(isKept);
  const kept = new Set(rest.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const known = new Map(before.map((label) => [label.id, JSON.stringify(label)]));
  const changed = rest.filter((draft) => draft.id === undefined || known.get(draft.id) !== JSON.stringify(draft));
  const deleted = before.flatMap(({ id, name }) =>
    id === undefined || kept.has(id) ? [] : [{ id, name, deleted: true }],
  );
  return [
    ...deleted,
    ...changed.map((draft) => {
      const { key: _key, ...label } = toWire(draft);
      return label;
    }),
  ];
}

/** Converts a draft to its form in the API. */
export function toWire({
  attributes,
  sublabels,
  svg,
  isRemoved: _isRemoved,
  ...label
}: DraftLabel): Record<string, unknown> {
  const isSkeleton = label.type === 'skeleton';
  return {
    ...label,
    name: label.name.trim(),
    attributes: attributes.map(({ id, ...attribute }) => ({ ...(id === undefined ? {} : { id }), ...attribute })),
    ...(isSkeleton
      ? {
          sublabels: sublabels.map(({ name, color, attributes: own = [] }) => ({
            name,
            color: color ?? '',
            type: 'points',
            attributes: own.map(({ id: _id, ...rest }) => rest),
          })),
          svg,
        }
      : {}),
  };
}

export const isKept = ({ isRemoved = false }: DraftLabel): boolean => !isRemoved;

/** @returns error messages for the names of labels, by key. Of two labels with the same name, the later one has an error. */
export function nameProblems(drafts: readonly DraftLabel[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const problems = new Map<string, string>();
  for (const { key, name: typed } of drafts.filter(isKept)) {
    const name = typed.trim();
    const problem =
      taken.has(name) && name !== ''
        ? `Another label is already named ${name}. Choose another name.`
        : tooLong(name, NAME_LIMIT);
    if (problem !== undefined) problems.set(key, problem);
    taken.add(name);
  }
  return problems;
}

/** @returns the first error, or null. Errors that the editor shows in place are only referred to. */
export function labelsProblem(drafts: readonly DraftLabel[], jsonProblem: string | null): string | null {
  if (jsonProblem !== null) return JSON_ERROR;
  const rest = drafts.filter(isKept);
  if (rest.some(({ name }) => name.trim() === '')) return 'Every label needs a name.';
  const [badName] = nameProblems(rest);
  if (badName !== undefined) return NAME_ERROR;
  for (const { name, attributes, type, sublabels } of rest) {
    const own = attributes.map((attribute) => attribute.name.trim());
    if (own.includes('')) return `Every attribute of “${name}” needs a name.`;
    if (new Set(own).size < own.length) return `Two attributes of “${name}” have the same name.`;
    if (type === 'skeleton' && sublabels.length === 0) return `The skeleton “${name}” has no points yet.`;
    const joints = sublabels.map((joint) => joint.name.trim());
    if (joints.includes('')) return `Every point of “${name}” needs a name.`;
    if (new Set(joints).size < joints.length) return `Two points of “${name}” have the same name.`;
  }
  return null;
}
