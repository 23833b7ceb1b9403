import type { Label } from '../../../app/api';
import type { ToolName } from '../canvas/tools';
import type { SceneObject } from '../scene/scene';
import { allowsType } from './new-objects';
import { DRAWN_TYPES, type DrawnType } from './sketch';

/** The label that the user has selected for the next drawing. */
export interface LabelChoice {
  /** Null: none. */
  readonly labelId: number | null;
  /** Whether an object was drawn since the label was selected. Then tools that it does not fit draw another label. */
  readonly isLabelUsed: boolean;
}

/** The label of the next drawing. */
export interface DrawingLabel {
  /** What the label field shows. */
  readonly label: Label | undefined;
  /** Why nothing can be drawn; undefined: objects get the label. */
  readonly problem: string | undefined;
}

/**
 * The only place that decides which label an object gets. A label that the user has just selected is never replaced by
 * another one: a tool that it does not fit is refused.
 * @param types what the tool can draw
 */
export function drawingLabel(
  labels: readonly Label[],
  { labelId, isLabelUsed }: LabelChoice,
  types: readonly DrawnType[],
): DrawingLabel {
  const selected = labels.find(({ id }) => id === labelId);
  if (selected !== undefined && fits(selected, types)) return { label: selected, problem: undefined };
  if (selected !== undefined && !isLabelUsed) return { label: selected, problem: refusal(selected, types) };
  const first = labels.find((label) => fits(label, types));
  if (first !== undefined) return { label: first, problem: undefined };
  // The field also selects the label of a tag.
  const label = selected ?? labels.find(({ type }) => type === 'tag');
  return { label, problem: `No label of this job can be used for ${namesOf(types)}.` };
}

/** The label of the next drawing of the current tool, or of the one that draws again. */
export function labelOfReview(
  labels: readonly Label[] = [],
  review: LabelChoice & { readonly tool: ToolName; readonly drawing: DrawnType },
): DrawingLabel {
  const types = typesOfTool(review.tool);
  return drawingLabel(labels, review, types.length === 0 ? [review.drawing] : types);
}

/** The labels that frames of a job can have. @param kinds of shapes */
export const usableLabels = (labels: readonly Label[], kinds: readonly DrawnType[]): readonly Label[] =>
  labels.filter((label) => allowsType(label, 'tag') || fits(label, kinds));

/** What a tool draws; nothing for tools that do not need a label. */
export function typesOfTool(tool: ToolName): readonly DrawnType[] {
  if (tool === 'scissors') return ['polygon'];
  if (tool === 'clicks') return CLICKED_TYPES;
  return DRAWN_TYPES.filter((type) => type === tool);
}

/** Whether a tool draws masks, which cannot be tracks. */
export const drawsMasks = (tool: ToolName): boolean => typesOfTool(tool).includes('mask');

/** What can become of an object that is segmented by clicks. */
export const CLICKED_TYPES = ['mask', 'polygon'] as const satisfies readonly DrawnType[];

/** The tool after a label was selected: the same, or the one of the label if it cannot have what the tool draws. */
export function toolFor(label: Pick<Label, 'type'>, tool: ToolName): ToolName {
  const types = typesOfTool(tool);
  if (types.length === 0 || fits(label, types)) return tool;
  return DRAWN_TYPES.find((type) => type === label.type) ?? 'select';
}

/** Why objects of some types cannot have a label. */
export function refusal({ name, type }: Pick<Label, 'name' | 'type'>, types: readonly SceneObject['type'][]): string {
  const reason =
    type === 'any' || type === undefined
      ? `cannot be used for ${namesOf(types)}`
      : `is only for ${nameOf(type)}, not for ${namesOf(types)}`;
  return `The label ${name} ${reason}. Select another label.`;
}

const fits = (label: Pick<Label, 'type'>, types: readonly DrawnType[]): boolean =>
  types.some((type) => allowsType(label, type));

const nameOf = (type: string): string => (type === 'points' ? type : `${type}s`);
const namesOf = (types: readonly string[]): string => types.map(nameOf).join(' and ');
