import type { AttributeValue, LabeledData } from '../../shared/annotations/model.js';
import { type LabelMapping, type ResolvedLabel, resolveMapping, type TaskLabel } from './mapping.js';
import { ResultInvalid } from './result.js';

/** What results may have with one label of the task. */
interface Wanted {
  readonly attributes: Set<number>;
  readonly elements: Map<number, Wanted>;
}

interface Labelled {
  readonly label_id: number;
  readonly attributes: readonly AttributeValue[];
}

/**
 * Refuses results of an agent with labels, elements or attributes that are not targets of the mapping, so that a
 * function can only create what it declares and its caller asks for. Labels that the task does not have are left to the
 * check of all annotations.
 * @throws ResultInvalid
 */
export function requireMapped(
  field: string,
  { tags, shapes }: Pick<LabeledData, 'tags' | 'shapes'>,
  mapping: LabelMapping,
  ofTask: readonly TaskLabel[],
): void {
  const wanted = wantedOf(resolveMapping(mapping, ofTask).values());
  const known = new Map(ofTask.map((label) => [label.id, label]));
  for (const tag of tags) requireWanted(field, tag, wanted, known);
  for (const shape of shapes) {
    const own = requireWanted(field, shape, wanted, known);
    const elements = new Map(known.get(shape.label_id)?.sublabels?.map((label) => [label.id, label]));
    for (const element of shape.elements) requireWanted(field, element, own?.elements ?? new Map(), elements);
  }
}

function requireWanted(
  field: string,
  { label_id: id, attributes }: Labelled,
  wanted: ReadonlyMap<number, Wanted>,
  known: ReadonlyMap<number, TaskLabel>,
): Wanted | undefined {
  const label = known.get(id);
  if (label === undefined) return undefined;
  const found = wanted.get(id);
  if (found === undefined) throw new ResultInvalid(field, `The request does not ask for the label "${label.name}".`);
  const other = label.attributes.find(
    (spec) => !found.attributes.has(spec.id) && attributes.some(({ spec_id }) => spec_id === spec.id),
  );
  if (other === undefined) return found;
  throw new ResultInvalid(field, `The request does not ask for the attribute "${other.name}" of "${label.name}".`);
}

/** Several labels of a function can become the same label of the task. */
function wantedOf(resolved: Iterable<ResolvedLabel>): Map<number, Wanted> {
  const wanted = new Map<number, Wanted>();
  for (const { label, attributes, sublabels } of resolved) {
    const one = wanted.get(label.id) ?? { attributes: new Set(), elements: new Map() };
    wanted.set(label.id, one);
    for (const { id } of attributes.values()) one.attributes.add(id);
    for (const [id, element] of wantedOf(sublabels.values())) merge(one.elements, id, element);
  }
  return wanted;
}

function merge(elements: Map<number, Wanted>, id: number, { attributes }: Wanted): void {
  const known = elements.get(id);
  elements.set(id, { attributes: new Set([...(known?.attributes ?? []), ...attributes]), elements: new Map() });
}
