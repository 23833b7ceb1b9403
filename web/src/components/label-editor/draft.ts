import type { components } from 'cairn-client';
import type { Attribute, Label } from '../../app/api';

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
  /** Tells drafts apart while they have no id. */
  readonly key: string;
  readonly id?: number | undefined;
  readonly name: string;
  readonly color: string;
  readonly type: LabelType;
  readonly attributes: readonly DraftAttribute[];
  /** Joints of a skeleton. */
  readonly sublabels: readonly DraftSublabel[];
  readonly svg: string;
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

/** Drafts outlive a reload: keys of before do not come again. */
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

/** Labels as the server has them, ready to be edited. */
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

/** Labels of a new project or task, as they are sent. @throws Error with what is wrong with them */
export function toInputs(drafts: readonly DraftLabel[]): LabelInput[] {
  const problem = labelsProblem(drafts);
  if (problem !== null) throw new Error(problem);
  return drafts.map((draft) => {
    const { key: _key, id: _id, ...label } = toWire(draft);
    return label as LabelInput;
  });
}

/** What makes the server's labels those of the drafts: new ones, changed ones, deleted ones. */
export function toChanges(before: readonly DraftLabel[], drafts: readonly DraftLabel[]): LabelChange[] {
  const kept = new Set(drafts.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const known = new Map(before.map((label) => [label.id, JSON.stringify(label)]));
  const changed = drafts.filter((draft) => draft.id === undefined || known.get(draft.id) !== JSON.stringify(draft));
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

/** As it is sent, but for its key. */
export function toWire({ attributes, sublabels, svg, ...label }: DraftLabel): Record<string, unknown> {
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

/** @returns what is wrong with the labels, or null */
export function labelsProblem(drafts: readonly DraftLabel[]): string | null {
  const names = drafts.map(({ name }) => name.trim());
  if (names.includes('')) return 'Every label needs a name.';
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `There are two labels called “${twice}”.`;
  for (const { name, attributes, type, sublabels } of drafts) {
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
