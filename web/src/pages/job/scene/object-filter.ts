import type { SceneObject } from './scene';

/** The fields of a condition, by the kind of their values. */
export const FIELDS = {
  label: { title: 'Label', kind: 'choice' },
  kind: { title: 'Kind', kind: 'choice' },
  type: { title: 'Type', kind: 'choice' },
  attribute: { title: 'Attribute', kind: 'attribute' },
  state: { title: 'State', kind: 'choice' },
  width: { title: 'Width', kind: 'number' },
  height: { title: 'Height', kind: 'number' },
  area: { title: 'Area of the box', kind: 'number' },
  source: { title: 'Source', kind: 'choice' },
  score: { title: 'Score', kind: 'number' },
  id: { title: 'ID', kind: 'number' },
  group: { title: 'Group', kind: 'number' },
  layer: { title: 'Layer', kind: 'number' },
} as const;
export type Field = keyof typeof FIELDS;

export const COMPARISONS = {
  is: 'is',
  'is-not': 'is not',
  contains: 'contains',
  'at-least': 'is at least',
  'at-most': 'is at most',
} as const;
export type Comparison = keyof typeof COMPARISONS;

export const STATES = ['occluded', 'outside', 'keyframe', 'hidden', 'locked', 'pinned'] as const;
export type State = (typeof STATES)[number];

export interface Condition {
  readonly field: Field;
  readonly comparison: Comparison;
  /** Name of the attribute, if the field is one. */
  readonly attribute?: string;
  /** A condition with an empty value is incomplete, and has no effect. */
  readonly value: string;
}

export interface ObjectFilter {
  /** Whether one condition is enough. */
  readonly isAny: boolean;
  readonly conditions: readonly Condition[];
}

export const NO_FILTER: ObjectFilter = { isAny: false, conditions: [] };

/** Which objects have a state of the view. */
export type Marks = Readonly<Record<'hidden' | 'locked' | 'pinned', ReadonlySet<string>>>;

/** @returns the comparisons that make sense for a field */
export function comparisonsOf(field: Field): readonly Comparison[] {
  const { kind } = FIELDS[field];
  if (kind === 'choice') return ['is', 'is-not'];
  return kind === 'number' ? ['at-least', 'at-most', 'is'] : ['is', 'is-not', 'contains', 'at-least', 'at-most'];
}

export const completeConditions = ({ conditions }: ObjectFilter): readonly Condition[] =>
  conditions.filter(
    ({ value, field, attribute }) => value !== '' && (field !== 'attribute' || attribute !== undefined),
  );

/** Whether an object on a frame meets a filter. A filter without conditions selects everything. */
export function matchesFilter(object: SceneObject, frame: number, filter: ObjectFilter, marks: Marks): boolean {
  const conditions = completeConditions(filter);
  if (conditions.length === 0) return true;
  const meets = (condition: Condition): boolean => matchesCondition(object, frame, condition, marks);
  return filter.isAny ? conditions.some(meets) : conditions.every(meets);
}

/** Fields that have the same value on all frames of an object. */
const FIXED: ReadonlySet<Field> = new Set(['label', 'kind', 'type', 'source', 'id', 'group']);
const NO_MARKS: Marks = { hidden: new Set(), locked: new Set(), pinned: new Set() };

/** Whether an object can meet a filter on any of its frames. */
export function mayMatch(object: SceneObject, filter: ObjectFilter): boolean {
  const conditions = completeConditions(filter);
  const fixed = conditions.filter(({ field }) => FIXED.has(field));
  const meets = (condition: Condition): boolean => matchesCondition(object, 0, condition, NO_MARKS);
  return filter.isAny ? fixed.length < conditions.length || fixed.some(meets) : fixed.every(meets);
}

/** Whether the keys for frames stop at an object: if it meets the filter, and is visible unless the filter asks for others. */
export function stopsAt(object: SceneObject, frame: number, filter: ObjectFilter, marks: Marks): boolean {
  const wantsOutside = filter.conditions.some(({ field, value }) => field === 'state' && value === 'outside');
  return (wantsOutside || !object.outside) && matchesFilter(object, frame, filter, marks);
}

function matchesCondition(object: SceneObject, frame: number, condition: Condition, marks: Marks): boolean {
  const { comparison, value } = condition;
  const own = valuesOf(object, frame, condition, marks);
  switch (comparison) {
    case 'is':
      return own.some((one) => isEqual(one, value));
    case 'is-not':
      return !own.some((one) => isEqual(one, value));
    case 'contains':
      return own.some((one) => one.toLowerCase().includes(value.toLowerCase()));
    case 'at-least':
      return own.some((one) => Number(one) >= Number(value));
    case 'at-most':
      return own.some((one) => Number(one) <= Number(value));
  }
}

const isEqual = (own: string, value: string): boolean =>
  own === value || (own !== '' && value.trim() !== '' && Number(own) === Number(value));

/** The values of a field. Tags have no size, and elements of skeletons add their attributes. */
function valuesOf(
  object: SceneObject,
  frame: number,
  { field, attribute }: Condition,
  marks: Marks,
): readonly string[] {
  const { bounds } = object;
  const [width, height] =
    bounds === undefined ? [undefined, undefined] : [bounds.right - bounds.left, bounds.bottom - bounds.top];
  const size = (value: number | undefined): string[] => (value === undefined ? [] : [String(value)]);
  switch (field) {
    case 'label':
      return [object.labelName];
    case 'kind':
      return [object.kind];
    case 'type':
      return [object.type];
    case 'attribute':
      return [object, ...object.elements].flatMap(({ attributes }) =>
        attributes.filter(({ name }) => name === attribute).map(({ value }) => value),
      );
    case 'state':
      return statesOf(object, frame, marks);
    case 'width':
      return size(width);
    case 'height':
      return size(height);
    case 'area':
      return size(width === undefined || height === undefined ? undefined : width * height);
    case 'source':
      return [object.source];
    case 'score':
      return [String(object.score)];
    case 'id':
      return [String(object.id)];
    case 'group':
      return [String(object.group)];
    case 'layer':
      return [String(object.zOrder)];
  }
}

function statesOf({ key, occluded, outside, keyframes }: SceneObject, frame: number, marks: Marks): readonly State[] {
  const has: Readonly<Record<State, boolean>> = {
    occluded,
    outside,
    keyframe: keyframes.includes(frame),
    hidden: marks.hidden.has(key),
    locked: marks.locked.has(key),
    pinned: marks.pinned.has(key),
  };
  return STATES.filter((state) => has[state]);
}

export type Sort = 'layer' | 'id' | 'time';

/**
 * Sorts objects, which are in the order of their layers.
 * @param changedAt a number that grows with every change of an object; 0 if it has not changed
 */
export function sortedObjects<Shown extends { readonly object: SceneObject }>(
  objects: readonly Shown[],
  sort: Sort,
  changedAt: (key: string) => number,
): readonly Shown[] {
  if (sort === 'layer') return objects;
  const order = ({ object: { id } }: Shown): number => (id === 0 ? Infinity : id);
  const byId = objects.toSorted((a, b) => compare(order(a), order(b)));
  if (sort === 'id') return byId;
  return byId.toSorted((a, b) => changedAt(b.object.key) - changedAt(a.object.key));
}

const compare = (a: number, b: number): number => (a === b ? 0 : a - b);
