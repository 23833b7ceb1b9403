import type { Dispatch, RefObject } from 'react';
import { type Point, reversed } from '#shared/annotations/editing/geometry';
import type { JobRights } from '../../components/rights';
import type { ShownObject } from './canvas/content';
import type { Stage } from './canvas/stage';
import { activeKey, type Review, type Step } from './data/review';
import type { Action, ModeAction } from './data/actions';
import { isEdit } from './data/shortcuts';
import { allowsType } from './editing/editor';
import { withOtherSide, withoutPerspective } from './editing/image-cuboid';
import type { MaskMode } from './editing/mask-options';
import type { DrawnType } from './editing/sketch';
import type { Editing } from './editing/use-editing';
import type { ModeActions } from './modes/mode-actions';
import type { AnnotationIndex } from './scene/annotation-index';
import { mayMatch, completeConditions, stopsAt } from './scene/object-filter';
import type { SceneObject } from './scene/scene';
import { occupied } from './scene/timeline';
import type { FrameSet } from './frames/frame-set';
import { getSettings } from './settings/settings';
import type { ShapeActions } from './shape-actions';
import type { Masks } from './use-masks';

const FAR = 10;
const PAN_STEP = 80;
/** In screen pixels of a drag. */
const TURN_STEP = 40;
const ZOOM_STEP = 1.25;

interface Context {
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
  readonly rights: JobRights | undefined;
  readonly mayEdit: boolean;
  /** The types that the user can draw. */
  readonly drawable: readonly DrawnType[];
  /** What the mode does instead. */
  readonly modeActions: RefObject<ModeActions>;
  /** @param at the position of the centre; undefined: where the objects were */
  readonly paste: (at?: Point) => void;
  readonly focusNumber: () => void;
  readonly showHelp: () => void;
  readonly showSettings: () => void;
  readonly showFindFrame: () => void;
  readonly showFilter: () => void;
  readonly showStatistics: () => void;
  readonly deleteFrame: (frame: number, isDeleted: boolean) => void;
  readonly showPropagate: () => void;
  readonly onError: (error: unknown) => void;
}

/** @returns whether a frame has an object that meets the filter. Tracks are looked at on every frame, so few of them are. */
function frameFinder(index: AnnotationIndex, review: Review): (frame: number) => boolean {
  const { filter } = review;
  const tracks = index.allTracks().filter((track) => mayMatch(track, filter));
  const keys = tracks.map(({ key }) => key);
  return (frame) => index.at(frame, keys).some((object) => stopsAt(object, frame, filter, review));
}

/** The actions of toolbar buttons and keys. The mode can replace them. Those that change annotations do nothing if the user cannot edit the job. */
export function useActions(context: Context): (action: Action) => void {
  const {
    frames,
    review,
    step,
    stage,
    objects,
    selected,
    annotated,
    editing,
    masks,
    shapes,
    rights,
    mayEdit,
    drawable,
    modeActions,
    paste,
    focusNumber,
    showHelp,
    showSettings,
    showFindFrame,
    showFilter,
    showStatistics,
    deleteFrame,
    showPropagate,
    onError,
  } = context;
  const { frame } = review;
  const active = activeKey(review);
  const unlocked = selected.filter(({ key }) => !review.locked.has(key));
  const selectedObject = selected.find(({ key }) => key === active);

  const goToKeyframe = (to: number | undefined): void => (to === undefined ? undefined : step({ do: 'go', to }));
  const keyframeFrom = (forward: boolean): void => {
    const to = forward
      ? selectedObject?.keyframes.find((keyframe) => keyframe > frame)
      : selectedObject?.keyframes.findLast((keyframe) => keyframe < frame);
    goToKeyframe(to);
  };
  const annotatedFrom = (forward: boolean): void => {
    const { filter } = review;
    const isFiltered = completeConditions(filter).length > 0 && editing !== undefined;
    const isWanted = isFiltered ? frameFinder(editing.editor.index, review) : (number: number) => annotated.has(number);
    const to = frames.find(frame, forward, isWanted);
    if (to !== undefined) step({ do: 'go', to });
  };
  const emptyFrom = (forward: boolean): void => {
    if (editing === undefined) return;
    const taken = occupied(editing.editor.document.entries(), frames.numbers);
    const to = frames.find(frame, forward, (number) => taken[frames.position(number)] === 0);
    if (to !== undefined) step({ do: 'go', to });
  };
  const chooseNext = (by: 1 | -1): void => {
    const under = stage?.keysAtPointer?.() ?? [];
    const keys = under.length > 1 ? under : objects.map(({ object }) => object.key);
    const at = active === null ? -1 : keys.indexOf(active);
    const next = at === -1 ? (by === 1 ? 0 : keys.length - 1) : (at + by + keys.length) % keys.length;
    step({ do: 'select', key: keys[next] ?? null });
  };
  /** Applies an edit to every selected object, as one step of the undo history. */
  const edit = (change: (editor: Editing['editor'], key: string, object: SceneObject) => void): void => {
    const editor = editing?.editor;
    if (unlocked.length === 0) return;
    editor?.together(() => {
      for (const object of unlocked) change(editor, object.key, object);
    });
  };
  const reshapeCuboids = (title: string, change: (points: readonly number[]) => number[]): void =>
    edit((editor, key, { type }) => {
      if (type !== 'cuboid') return;
      editor.reshape(title, key, frame, ({ points }) => ({ points: change(points), rotation: 0 }));
    });
  const selectedKeys = selected.map(({ key }) => key);
  const unlockedKeys = unlocked.map(({ key }) => key);
  const merge = (): void => {
    const keys = review.selected.filter((key) => !review.locked.has(key));
    try {
      if (editing !== undefined) step({ do: 'select', key: editing.editor.merge(keys, frames.last) });
    } catch (error) {
      onError(error);
    }
  };
  /** The label of a number key, in the order of the labels of the job. */
  const applyLabel = (number: number): void => {
    const label = editing?.editor.labels[number - 1];
    if (label === undefined) return;
    if (unlocked.length === 0) return step({ do: 'set', values: { labelId: label.id } });
    edit((editor, key, { type }) => {
      if (allowsType(label, type)) editor.setLabel(key, label.id);
    });
  };
  /** Discards the painting of a mask that is deleted. */
  const endEdit = (deleted: readonly string[]): void => {
    if (masks.edited !== undefined && deleted.includes(masks.edited)) masks.discard();
  };
  const changeLayer = (by: 1 | -1): void =>
    edit((editor, key, { zOrder }) => editor.changeShape('Change layer', key, frame, { z_order: zOrder + by }));
  const pick = (tool: Review['tool']): void => step({ do: 'use', tool });
  const pickToDraw = (type: DrawnType): void => (drawable.includes(type) ? pick(type) : undefined);
  const paintMask = (mode: MaskMode): void =>
    drawable.includes('mask') || review.tool === 'mask' ? masks.use(mode) : undefined;
  const actions: Readonly<Record<Exclude<Action, ModeAction>, () => void>> = {
    back: () => step({ do: 'step', by: -1 }),
    forward: () => step({ do: 'step', by: 1 }),
    'back-far': () => step({ do: 'step', by: -FAR }),
    'forward-far': () => step({ do: 'step', by: FAR }),
    first: () => step({ do: 'go', to: frames.stops[0] ?? frame }),
    last: () => step({ do: 'go', to: frames.stops.at(-1) ?? frame }),
    'next-annotated': () => annotatedFrom(true),
    'previous-annotated': () => annotatedFrom(false),
    'next-empty': () => emptyFrom(true),
    'previous-empty': () => emptyFrom(false),
    'filter-objects': showFilter,
    'find-frame': () => (frames.haveNames ? showFindFrame() : undefined),
    'delete-frame': () => (rights?.deleteFrames === true ? deleteFrame(frame, !frames.isDeleted(frame)) : undefined),
    play: () => step({ do: 'play' }),
    faster: () => step({ do: 'change-speed', by: 1 }),
    slower: () => step({ do: 'change-speed', by: -1 }),
    'go-to-frame': focusNumber,
    'next-keyframe': () => keyframeFrom(true),
    'previous-keyframe': () => keyframeFrom(false),
    'first-keyframe': () => goToKeyframe(selectedObject?.keyframes[0]),
    'last-keyframe': () => goToKeyframe(selectedObject?.keyframes.at(-1)),
    'pan-left': () => stage?.camera.panBy(PAN_STEP, 0),
    'pan-right': () => stage?.camera.panBy(-PAN_STEP, 0),
    'pan-up': () => stage?.camera.panBy(0, PAN_STEP),
    'pan-down': () => stage?.camera.panBy(0, -PAN_STEP),
    'zoom-in': () => stage?.camera.zoomBy(ZOOM_STEP),
    'zoom-out': () => stage?.camera.zoomBy(1 / ZOOM_STEP),
    fit: () => stage?.camera.fit(),
    'turn-left': () => stage?.camera.turnBy?.(TURN_STEP, 0),
    'turn-right': () => stage?.camera.turnBy?.(-TURN_STEP, 0),
    'turn-up': () => stage?.camera.turnBy?.(0, TURN_STEP),
    'turn-down': () => stage?.camera.turnBy?.(0, -TURN_STEP),
    'rotate-right': () => stage?.camera.rotate?.(90),
    'rotate-left': () => stage?.camera.rotate?.(-90),
    'actual-size': () => stage?.camera.zoomBy(1 / stage.camera.view.scale),
    'select-tool': () => pick('select'),
    'move-tool': () => pick('move'),
    'issue-tool': () => (rights?.openIssue === true ? pick('issue') : undefined),
    'ruler-tool': () => pick('ruler'),
    'rectangle-tool': () => pickToDraw('rectangle'),
    'ellipse-tool': () => pickToDraw('ellipse'),
    'polygon-tool': () => pickToDraw('polygon'),
    'polyline-tool': () => pickToDraw('polyline'),
    'points-tool': () => pickToDraw('points'),
    'cuboid-tool': () => pickToDraw('cuboid'),
    'skeleton-tool': () => pickToDraw('skeleton'),
    'mask-tool': () => pickToDraw('mask'),
    'mask-brush': () => paintMask('brush'),
    'mask-eraser': () => paintMask('eraser'),
    'mask-polygon-plus': () => paintMask('polygon-plus'),
    'mask-polygon-minus': () => paintMask('polygon-minus'),
    'edit-mask': () => {
      const isMask = unlocked.some(({ key, type }) => key === active && type === 'mask');
      if (isMask && drawable.includes('mask')) masks.edit();
    },
    draw: () => {
      if (review.tool !== review.drawing && review.tool !== 'slice') pickToDraw(review.drawing);
      else if (review.tool === 'mask') masks.finish();
      else stage?.finish();
    },
    'toggle-snapping': () => step({ do: 'set', values: { snaps: !review.snaps } }),
    // While a shape is drawn, undo removes its last vertex, or the last stroke of a mask.
    undo: () => (masks.undo() || stage?.back() === true ? undefined : editing?.editor.undo()),
    redo: () => (masks.redo() ? undefined : editing?.editor.redo()),
    save: () => {
      masks.store();
      void editing?.save().catch(onError);
    },
    copy: () => editing?.editor.copy(selectedKeys, frame),
    paste: () => paste(),
    propagate: () => (selectedKeys.length > 0 ? showPropagate() : undefined),
    split: () => edit((editor, key) => editor.split(key, frame)),
    reverse: () => edit((editor, key) => editor.reshape('Reverse outline', key, frame, reversed)),
    redraw: () => {
      const object = unlocked.find(({ key }) => key === active);
      const type = drawable.find((one) => one === object?.type);
      if (object === undefined || type === undefined) return;
      if (type === 'mask') masks.edit();
      else step({ do: 'use', tool: type, redraws: object.key });
    },
    'other-side': () => reshapeCuboids('Show other side', withOtherSide),
    'no-perspective': () => reshapeCuboids('Reset perspective', withoutPerspective),
    crop: () => shapes.crop(),
    join: () => shapes.join(),
    // Only where shapes can be drawn.
    slice: () => (drawable.length > 0 ? shapes.startSlice() : undefined),
    'to-polygon': () => shapes.convert('polygon'),
    'to-mask': () => shapes.convert('mask'),
    'to-rectangle': () => shapes.convert('rectangle'),
    delete: () => {
      endEdit(unlockedKeys);
      if (unlockedKeys.length > 0) editing?.editor.remove(unlockedKeys);
      step({ do: 'select-all', keys: selectedKeys.filter((key) => review.locked.has(key)) });
    },
    'delete-locked': () => {
      endEdit(selectedKeys);
      if (selectedKeys.length > 0) editing?.editor.remove(selectedKeys);
      step({ do: 'select', key: null });
    },
    group: () => editing?.editor.group(unlockedKeys, true),
    ungroup: () => editing?.editor.group(unlockedKeys, false),
    merge,
    'toggle-lock': () => step({ do: 'mark', as: 'locked', keys: review.selected }),
    'toggle-pin': () => step({ do: 'mark', as: 'pinned', keys: review.selected }),
    'lock-all': () => step({ do: 'mark', as: 'locked', keys: objects.map(({ object }) => object.key) }),
    'label-1': () => applyLabel(1),
    'label-2': () => applyLabel(2),
    'label-3': () => applyLabel(3),
    'label-4': () => applyLabel(4),
    'label-5': () => applyLabel(5),
    'label-6': () => applyLabel(6),
    'label-7': () => applyLabel(7),
    'label-8': () => applyLabel(8),
    'label-9': () => applyLabel(9),
    'toggle-occluded': () =>
      edit((editor, key) =>
        editor.changeShape('Change occlusion', key, frame, { occluded: selectedObject?.occluded !== true }),
      ),
    'toggle-outside': () => {
      const outside = selectedObject?.outside !== true;
      edit((editor, key, { kind }) => {
        if (kind === 'track') editor.changeShape('Change outside', key, frame, { outside });
      });
    },
    'toggle-keyframe': () => edit((editor, key) => editor.toggleKeyframe(key, frame)),
    raise: () => changeLayer(1),
    lower: () => changeLayer(-1),
    'next-object': () => chooseNext(1),
    'previous-object': () => chooseNext(-1),
    'hide-object': () => {
      if (!masks.toggleHidden()) step({ do: 'mark', as: 'hidden', keys: review.selected });
    },
    recolor: () => step({ do: 'recolor', objects: selected, by: getSettings().colorBy }),
    'hide-all': () => step({ do: 'toggle-all' }),
    quality: () => step({ do: 'toggle-quality' }),
    filmstrip: () => step({ do: 'set', values: { hasFilmstrip: !review.hasFilmstrip } }),
    timeline: () => step({ do: 'set', values: { hasTimeline: !review.hasTimeline } }),
    cancel: () => (masks.cancel() ? undefined : step({ do: 'cancel' })),
    help: showHelp,
    settings: showSettings,
    statistics: showStatistics,
  };
  const common: Partial<Record<Action, () => void>> = actions;
  return (action) => {
    const instead = modeActions.current[action];
    if (instead !== undefined) instead();
    else if (!isEdit(action) || mayEdit) common[action]?.();
  };
}
