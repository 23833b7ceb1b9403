import { reversed } from '#shared/annotations/editing/geometry';
import { NotPossible } from '../../../app/not-possible';
import { activeKey } from '../data/review';
import { refusal } from '../editing/drawing-label';
import { allowsType } from '../editing/new-objects';
import { nextLayer } from '../editing/object-edits';
import { withOtherSide, withoutPerspective } from '../editing/image-cuboid';
import { getSettings } from '../settings/settings';
import { selectLabel } from './select-label';
import { type ActionContext, type ActionGroup, activeOf, editEach, unlockedOf } from './context';
import type { SelectionAction, HistoryAction, LabelKey, ValueAction, ShapeAction } from '../data/actions';

/** Selecting and marking objects. These actions do not change annotations. */
export function selectionActions(context: ActionContext): ActionGroup<SelectionAction> {
  const { review, step, objects, selected, masks } = context;
  return {
    'next-object': () => selectNext(context, 1),
    'previous-object': () => selectNext(context, -1),
    'toggle-lock': () => step({ do: 'mark', as: 'locked', keys: review.selected }),
    'toggle-pin': () => step({ do: 'mark', as: 'pinned', keys: review.selected }),
    'lock-all': () => step({ do: 'mark', as: 'locked', keys: objects.map(({ object }) => object.key) }),
    'hide-object': () => {
      if (!masks.toggleHidden()) step({ do: 'mark', as: 'hidden', keys: review.selected });
    },
    'hide-all': () => step({ do: 'toggle-all' }),
    recolor: () => step({ do: 'recolor', objects: selected, by: getSettings().colorBy }),
  };
}

/** Selects the next object under the pointer, or in the list if there is at most one under it. */
function selectNext({ stage, objects, review, step }: ActionContext, by: 1 | -1): void {
  const active = activeKey(review);
  const under = stage?.keysAtPointer?.() ?? [];
  const keys = under.length > 1 ? under : objects.map(({ object }) => object.key);
  const at = active === null ? -1 : keys.indexOf(active);
  const next = at === -1 ? (by === 1 ? 0 : keys.length - 1) : (at + by + keys.length) % keys.length;
  step({ do: 'select', key: keys[next] ?? null });
}

/** The undo history, saving and copies. */
export function historyActions(context: ActionContext): ActionGroup<HistoryAction> {
  const { review, stage, selected, editing, masks, paste, show, onError } = context;
  const keys = selected.map(({ key }) => key);
  return {
    // While a shape is drawn, undo removes its last vertex, or the last stroke of a mask.
    undo: () => (masks.undo() || stage?.back() === true ? undefined : editing?.editor.undo()),
    redo: () => (masks.redo() ? undefined : editing?.editor.redo()),
    save: () => {
      masks.store();
      void editing?.save().catch(onError);
    },
    copy: () => editing?.editor.copy(keys, review.frame),
    paste: () => paste(),
    propagate: () => (keys.length > 0 ? show('propagate') : undefined),
  };
}

/** Changing the label and the state of the selected objects. */
export function valueActions(context: ActionContext): ActionGroup<ValueAction> {
  const { review, editing } = context;
  const { frame } = review;
  const active = activeOf(context);
  const unlocked = unlockedOf(context).map(({ key }) => key);
  const changeLayer = (by: 1 | -1): void =>
    editEach(context, (editor, key, { zOrder }) =>
      editor.changeShape('Change layer', key, frame, { z_order: nextLayer(zOrder, by) }),
    );
  return {
    'toggle-occluded': () => {
      const occluded = active?.occluded !== true;
      editEach(context, (editor, key) => editor.changeShape('Change occlusion', key, frame, { occluded }));
    },
    'toggle-outside': () => {
      const outside = active?.outside !== true;
      editEach(context, (editor, key, { kind }) => {
        if (kind === 'track') editor.changeShape('Change outside', key, frame, { outside });
      });
    },
    'toggle-keyframe': () => editEach(context, (editor, key) => editor.toggleKeyframe(key, frame)),
    raise: () => changeLayer(1),
    lower: () => changeLayer(-1),
    group: () => editing?.editor.group(unlocked, true),
    ungroup: () => editing?.editor.group(unlocked, false),
    'label-1': () => applyLabel(context, 1),
    'label-2': () => applyLabel(context, 2),
    'label-3': () => applyLabel(context, 3),
    'label-4': () => applyLabel(context, 4),
    'label-5': () => applyLabel(context, 5),
    'label-6': () => applyLabel(context, 6),
    'label-7': () => applyLabel(context, 7),
    'label-8': () => applyLabel(context, 8),
    'label-9': () => applyLabel(context, 9),
  };
}

/** Applies the label of a number key, in the order of the labels of the job, to the selection or to the next drawing. */
function applyLabel(context: ActionContext, number: LabelKey): void {
  const label = context.editing?.editor.labels[number - 1];
  if (label === undefined) return;
  const unlocked = unlockedOf(context);
  if (unlocked.length === 0) return selectLabel(context, label);
  const refused = new Set(unlocked.map(({ type }) => type).filter((type) => !allowsType(label, type)));
  if (refused.size > 0) return context.onError(new NotPossible(refusal(label, [...refused])));
  editEach(context, (editor, key) => editor.setLabel(key, label.id));
}

/** Changing the geometry of the selected objects, replacing and deleting them. */
export function shapeActionGroup(context: ActionContext): ActionGroup<ShapeAction> {
  const { review, shapes, drawable } = context;
  const { frame } = review;
  const reshapeCuboids = (title: string, change: (points: readonly number[]) => number[]): void =>
    editEach(context, (editor, key, { type }) => {
      if (type !== 'cuboid') return;
      editor.reshape(title, key, frame, ({ points }) => ({ points: change(points), rotation: 0 }));
    });
  return {
    split: () => editEach(context, (editor, key) => editor.split(key, frame)),
    reverse: () => editEach(context, (editor, key) => editor.reshape('Reverse outline', key, frame, reversed)),
    'other-side': () => reshapeCuboids('Show other side', withOtherSide),
    'no-perspective': () => reshapeCuboids('Reset perspective', withoutPerspective),
    crop: () => shapes.crop(),
    join: () => shapes.join(),
    // Only where shapes can be drawn.
    slice: () => (drawable.length > 0 ? shapes.startSlice() : undefined),
    'to-polygon': () => shapes.convert('polygon'),
    'to-mask': () => shapes.convert('mask'),
    'to-rectangle': () => shapes.convert('rectangle'),
    merge: () => merge(context),
    delete: () => remove(context, false),
    'delete-locked': () => remove(context, true),
  };
}

function merge({ review, frames, editing, step, onError }: ActionContext): void {
  const keys = review.selected.filter((key) => !review.locked.has(key));
  try {
    if (editing !== undefined) step({ do: 'select', key: editing.editor.merge(keys, frames.last) });
  } catch (error) {
    onError(error);
  }
}

/** Deletes the selected objects. Those that are locked stay selected, unless they are deleted, too. */
function remove(context: ActionContext, evenLocked: boolean): void {
  const { review, selected, editing, masks, step } = context;
  const isKept = (key: string): boolean => !evenLocked && review.locked.has(key);
  const keys = selected.map(({ key }) => key);
  const deleted = keys.filter((key) => !isKept(key));
  if (masks.edited !== undefined && deleted.includes(masks.edited)) masks.discard();
  if (deleted.length > 0) editing?.editor.remove(deleted);
  step({ do: 'select-all', keys: keys.filter((key) => isKept(key)) });
}
