import type { ModelLabel } from './model';

/** A label of a task, with its attributes. */
export interface MappedLabel {
  readonly id?: number;
  readonly name?: string;
  readonly type?: string;
  readonly attributes?: readonly { readonly name?: string }[];
  readonly sublabels?: readonly MappedLabel[];
}

/** The id of the task's label for each label of a function. Labels that are left out are not used. */
export type LabelMapping = ReadonlyMap<string, number>;

/** How a request names labels and attributes. */
interface SentLabel {
  name: string;
  attributes: Record<string, string>;
  sublabels?: Record<string, SentLabel>;
}

/** Whether shapes of a function's label can get the label of a task. */
export function isCompatible({ type: from }: Pick<ModelLabel, 'type'>, { type: to = 'any' }: MappedLabel): boolean {
  if (from === to) return true;
  if (from === 'skeleton' || to === 'skeleton') return false;
  const types = new Set([from, to]);
  return types.has('any') || types.has('unknown') || (types.has('mask') && types.has('polygon'));
}

/** Maps each label to the compatible label with the same name, whatever its case. */
export function defaultMapping(from: readonly ModelLabel[], to: readonly MappedLabel[]): LabelMapping {
  const mapping = new Map<string, number>();
  for (const label of from) {
    const fitting = to.filter((other) => isCompatible(label, other));
    const same =
      fitting.find(({ name }) => name === label.name) ??
      fitting.find(({ name }) => name?.toLowerCase() === label.name.toLowerCase());
    if (same?.id !== undefined) mapping.set(label.name, same.id);
  }
  return mapping;
}

/** The mapping in the form of a request. Attributes and sublabels are mapped by their names. */
export function sentMapping(
  from: readonly ModelLabel[],
  to: readonly MappedLabel[],
  mapping: LabelMapping,
): Record<string, SentLabel> {
  return Object.fromEntries(
    from.flatMap((label) => {
      const target = to.find(({ id }) => id !== undefined && id === mapping.get(label.name));
      return target === undefined ? [] : [[label.name, sentLabel(label, target)]];
    }),
  );
}

function sentLabel(from: ModelLabel, to: MappedLabel): SentLabel {
  const names = new Set(to.attributes?.map(({ name }) => name));
  const attributes = from.attributes.filter(({ name }) => names.has(name)).map(({ name }) => [name, name] as const);
  const { sublabels = [] } = from;
  const sent: SentLabel = { name: to.name ?? '', attributes: Object.fromEntries(attributes) };
  if (sublabels.length === 0) return sent;
  const mapped = sublabels.flatMap((sublabel) => {
    const target = to.sublabels?.find(({ name }) => name === sublabel.name);
    return target === undefined ? [] : [[sublabel.name, sentLabel(sublabel, target)] as const];
  });
  return { ...sent, sublabels: Object.fromEntries(mapped) };
}
