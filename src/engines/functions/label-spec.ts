/** The labels that a function declares. The keys are the wire names, also of the functions of Nuclio. */

export interface FunctionAttribute {
  readonly name: string;
  readonly input_type: string;
  /** The options of a select or radio; minimum, maximum and step of a number. Otherwise empty. */
  readonly values: readonly string[];
}

export interface FunctionSublabel {
  readonly name: string;
  /** A shape type, `tag`, or `any` if the function does not say. */
  readonly type: string;
  readonly attributes: readonly FunctionAttribute[];
}

export interface FunctionLabel extends FunctionSublabel {
  /** The elements of a skeleton. */
  readonly sublabels?: readonly FunctionSublabel[];
}

/** The type of a label whose function does not say which shapes it creates. */
export const ANY_TYPE = 'any';

/** @returns the first problem of a list of labels, as a sentence; undefined if the labels are valid */
export function labelSpecProblem(labels: readonly FunctionLabel[]): string | undefined {
  const repeated = repeatedName(labels);
  if (repeated !== undefined) return `The label "${repeated}" is repeated.`;
  for (const label of labels) {
    const problem = problemOf(label);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf({ name, type, attributes, sublabels = [] }: FunctionLabel): string | undefined {
  const attribute = repeatedName(attributes);
  if (attribute !== undefined) return `The attribute "${attribute}" of the label "${name}" is repeated.`;
  if (type !== 'skeleton' && sublabels.length > 0)
    return `The label "${name}" has sublabels, but its type is not skeleton.`;
  if (type === 'skeleton' && sublabels.length === 0) return `The skeleton "${name}" has no sublabels.`;
  const sublabel = repeatedName(sublabels);
  if (sublabel !== undefined) return `The sublabel "${sublabel}" of the label "${name}" is repeated.`;
  for (const { name: element, attributes: own } of sublabels) {
    const twice = repeatedName(own);
    if (twice !== undefined) return `The attribute "${twice}" of the sublabel "${element}" is repeated.`;
  }
  return undefined;
}

function repeatedName(items: readonly { readonly name: string }[]): string | undefined {
  const seen = new Set<string>();
  return items.find(({ name }) => seen.size === seen.add(name).size)?.name;
}
