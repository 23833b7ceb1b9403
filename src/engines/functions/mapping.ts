import type { FunctionAttribute, FunctionLabel } from './label-spec.js';

export interface TaskAttribute extends FunctionAttribute {
  readonly id: number;
}

/** A label of a task, or an element of a skeleton. */
export interface TaskLabel {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly attributes: readonly TaskAttribute[];
  readonly sublabels?: readonly TaskLabel[];
}

/** The label of the task that a label of the function becomes. Attributes and elements that are not listed are dropped. */
export interface MappedLabel {
  readonly name: string;
  /** Names of attributes: of the function -> of the task. Absent: equal names; `readMapping` always states them. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** The elements of a skeleton. Absent: equal names. */
  readonly sublabels?: LabelMapping;
}

/** By the names of the function's labels. Labels that are not listed are dropped. */
export type LabelMapping = Readonly<Record<string, MappedLabel>>;

/** A mapping that does not fit the function or the task. The message is that of the contract. */
export class MappingInvalid extends Error {
  override readonly name = 'MappingInvalid';

  constructor(what: string) {
    super(`Invalid mapping. ${what}`);
  }
}

/** Which labels and attributes fit together. */
export interface MappingRules {
  label(ofFunction: FunctionLabel, ofTask: TaskLabel): boolean;
  attribute(ofFunction: FunctionAttribute, ofTask: TaskAttribute): boolean;
}

/**
 * For functions whose results the server converts: masks and polygons are interchangeable, and attribute values that
 * do not fit are dropped one by one.
 */
export const SERVER_RULES: MappingRules = {
  label: ({ type: from }, { type: to }) =>
    from === to ||
    (to === 'any' && from !== 'skeleton') ||
    (from === 'any' && to !== 'skeleton') ||
    ([from, to].includes('mask') && [from, to].includes('polygon')),
  attribute: () => true,
};

/** The checks of an agent, which converts no types. It refuses a whole task if one label does not fit. */
export const agentRules = (options: { readonly masksToPolygons: boolean }): MappingRules => ({
  label: ({ type }, { type: to }) => {
    const from = options.masksToPolygons && type === 'mask' ? 'polygon' : type;
    return from === 'any' || to === 'any' || from === to;
  },
  attribute: (from, to) => {
    if (from.input_type !== to.input_type) return false;
    if (to.input_type === 'text' || to.input_type === 'checkbox') return true;
    const isOrdered = to.input_type === 'number';
    const [ofFunction, ofTask] = [from.values, to.values].map((values) => (isOrdered ? values : values.toSorted()));
    return JSON.stringify(ofFunction) === JSON.stringify(ofTask);
  },
});

/** Maps labels, attributes and elements of skeletons that have equal names and fit together. */
export function defaultMapping(
  ofFunction: readonly FunctionLabel[],
  ofTask: readonly TaskLabel[],
  rules: MappingRules,
): LabelMapping {
  const found = ofFunction.flatMap((from): [string, MappedLabel][] => {
    const to = ofTask.find(({ name }) => name === from.name);
    if (to === undefined || !rules.label(from, to)) return [];
    const attributes = from.attributes.flatMap((attribute): [string, string][] => {
      const target = to.attributes.find(({ name }) => name === attribute.name);
      return target !== undefined && rules.attribute(attribute, target) ? [[attribute.name, target.name]] : [];
    });
    const sublabels = isSkeleton(from, to) ? defaultMapping(from.sublabels ?? [], to.sublabels ?? [], rules) : null;
    return [
      [from.name, { name: to.name, attributes: Object.fromEntries(attributes), ...(sublabels && { sublabels }) }],
    ];
  });
  return Object.fromEntries(found);
}

/**
 * Reads a mapping as clients send it. An absent or empty one means equal names.
 * @returns a mapping that states the attributes of every label, and the elements of every skeleton
 * @throws MappingInvalid
 */
export function readMapping(
  sent: unknown,
  ofFunction: readonly FunctionLabel[],
  ofTask: readonly TaskLabel[],
  rules: MappingRules,
): LabelMapping {
  const mapping = sent === undefined || sent === null ? {} : objectOf(sent, 'The mapping');
  if (Object.keys(mapping).length === 0) return defaultMapping(ofFunction, ofTask, rules);
  return readEntries(mapping, ofFunction, ofTask, rules);
}

function readEntries(
  mapping: Readonly<Record<string, unknown>>,
  ofFunction: readonly FunctionLabel[],
  ofTask: readonly TaskLabel[],
  rules: MappingRules,
): LabelMapping {
  const entries = Object.entries(mapping).map(([name, sent]): [string, MappedLabel] => {
    const from = ofFunction.find((label) => label.name === name);
    if (from === undefined) throw new MappingInvalid(`Unknown model label "${name}"`);
    const entry = objectOf(sent, `The entry of "${name}"`);
    const target = textOf(entry['name'], `The name in the entry of "${name}"`);
    const to = ofTask.find((label) => label.name === target);
    if (to === undefined) throw new MappingInvalid(`Unknown db label "${target}"`);
    if (!rules.label(from, to))
      throw new MappingInvalid(`Model label "${name}" and database label "${target}" are not compatible`);
    const attributes = readAttributes(entry['attributes'], from, to, rules);
    if (!isSkeleton(from, to)) return [name, { name: target, attributes }];
    if (entry['sublabels'] === undefined || entry['sublabels'] === null)
      throw new MappingInvalid(`Mapping for elements was not specified in skeleton "${name}" `);
    const elements = objectOf(entry['sublabels'], `The sublabels in the entry of "${name}"`);
    const sublabels = readEntries(elements, from.sublabels ?? [], to.sublabels ?? [], rules);
    return [name, { name: target, attributes, sublabels }];
  });
  return Object.fromEntries(entries);
}

function readAttributes(
  sent: unknown,
  from: FunctionLabel,
  to: TaskLabel,
  rules: MappingRules,
): Readonly<Record<string, string>> {
  if (sent === undefined || sent === null) return {};
  const entries = Object.entries(objectOf(sent, `The attributes in the entry of "${from.name}"`));
  return Object.fromEntries(
    entries.map(([name, target]): [string, string] => {
      const attribute = from.attributes.find((known) => known.name === name);
      if (attribute === undefined) throw new MappingInvalid(`Unknown model attribute "${name}"`);
      const goal = textOf(target, `The target of the attribute "${name}"`);
      const known = to.attributes.find((one) => one.name === goal);
      if (known === undefined) throw new MappingInvalid(`Unknown db attribute "${goal}"`);
      if (!rules.attribute(attribute, known))
        throw new MappingInvalid(`Model attribute "${name}" and database attribute "${goal}" are not compatible`);
      return [name, goal];
    }),
  );
}

const isSkeleton = (from: FunctionLabel, to: TaskLabel): boolean => from.type === 'skeleton' && to.type === 'skeleton';

function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new MappingInvalid(`${what} must be an object`);
}

function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new MappingInvalid(`${what} must be a string`);
}

/** What a label of a function becomes. */
export interface ResolvedLabel {
  readonly label: TaskLabel;
  /** By the names of the function's attributes. */
  readonly attributes: ReadonlyMap<string, TaskAttribute>;
  /** The elements of a skeleton, by the names of the function's elements. */
  readonly sublabels: ReadonlyMap<string, ResolvedLabel>;
}

/**
 * Looks up the labels of a mapping. Labels that the task no longer has are left out. An entry that does not state
 * attributes or elements means those with equal names, as agents read it.
 */
export function resolveMapping(
  mapping: LabelMapping,
  ofTask: readonly TaskLabel[],
): ReadonlyMap<string, ResolvedLabel> {
  return new Map(
    Object.entries(mapping).flatMap(([name, entry]): [string, ResolvedLabel][] => {
      const label = ofTask.find((known) => known.name === entry.name);
      if (label === undefined) return [];
      const names = entry.attributes ?? Object.fromEntries(label.attributes.map((own) => [own.name, own.name]));
      const attributes = Object.entries(names).flatMap(([from, to]): [string, TaskAttribute][] => {
        const found = label.attributes.find((attribute) => attribute.name === to);
        return found === undefined ? [] : [[from, found]];
      });
      const elements = label.sublabels ?? [];
      const sublabels = entry.sublabels ?? Object.fromEntries(elements.map((own) => [own.name, { name: own.name }]));
      return [[name, { label, attributes: new Map(attributes), sublabels: resolveMapping(sublabels, elements) }]];
    }),
  );
}
