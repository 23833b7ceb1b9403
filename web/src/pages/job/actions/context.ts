import type { Dispatch, RefObject } from 'react';
import type { Point } from '#shared/annotations/editing/geometry';
import type { JobRights } from '../../../components/rights';
import type { ShownObject } from '../canvas/content';
import type { Stage } from '../canvas/stage';
import type { CommonAction } from '../data/actions';
import { activeKey, type Review, type Step } from '../data/review';
import type { Editor } from '../editing/editor';
import type { DrawnType } from '../editing/sketch';
import type { Editing } from '../editing/use-editing';
import type { FrameSet } from '../frames/frame-set';
import type { ModelTools } from '../models/use-model-tools';
import type { ModeActions } from '../modes/mode-actions';
import type { SceneObject } from '../scene/scene';
import type { ShapeActions } from '../shape-actions';
import type { Masks } from '../use-masks';
import type { DialogName } from '../workspace-dialogs';

/** What some of the actions do. */
export type ActionGroup<Name extends CommonAction> = Readonly<Record<Name, () => void>>;

export interface ActionContext {
  readonly frames: FrameSet;
  readonly review: Review;
  readonly step: Dispatch<Step>;
  readonly stage: Stage | null;
  /** The objects of the frame that meet the filter, in the order of the list. */
  readonly objects: readonly ShownObject[];
  /** The selected objects of the frame. */
  readonly selected: readonly SceneObject[];
  readonly annotated: ReadonlySet<number>;
  readonly editing: Editing | undefined;
  readonly masks: Masks;
  readonly shapes: ShapeActions;
  /** Functions, which replace some actions while they are used. */
  readonly models: ModelTools;
  readonly rights: JobRights | undefined;
  readonly mayEdit: boolean;
  /** The types that the user can draw. */
  readonly drawable: readonly DrawnType[];
  /** What the mode does instead. */
  readonly modeActions: RefObject<ModeActions>;
  /** @param at the position of the centre; undefined: where the objects were */
  readonly paste: (at?: Point) => void;
  readonly focusNumber: () => void;
  readonly show: (dialog: DialogName) => void;
  readonly deleteFrame: (frame: number, isDeleted: boolean) => void;
  readonly onError: (error: unknown) => void;
}

/** The selected objects that are not locked. */
export const unlockedOf = ({ selected, review }: ActionContext): readonly SceneObject[] =>
  selected.filter(({ key }) => !review.locked.has(key));

/** The selected object that was selected last. */
export function activeOf({ selected, review }: ActionContext): SceneObject | undefined {
  const active = activeKey(review);
  return selected.find(({ key }) => key === active);
}

/** Applies an edit to every selected object that is not locked, as one step of the undo history. */
export function editEach(
  context: ActionContext,
  change: (editor: Editor, key: string, object: SceneObject) => void,
): void {
  const editor = context.editing?.editor;
  const unlocked = unlockedOf(context);
  if (unlocked.length === 0) return;
  editor?.together(() => {
    for (const object of unlocked) change(editor, object.key, object);
  });
}
