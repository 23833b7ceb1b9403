import type { Dispatch } from 'react';
import { croppedTo, reversed } from '#shared/annotations/editing/geometry';
import type { JobRights } from '../../components/rights';
import type { CanvasStage } from './canvas/canvas-stage';
import type { ShownObject } from './canvas/content';
import type { Review, Step } from './data/review';
import { type Action, SHORTCUTS } from './data/shortcuts';
import type { Editing } from './editing/use-editing';
import type { FrameSet } from './frames/frame-set';

const FAR = 10;
const PAN_STEP = 80;
const ZOOM_STEP = 1.25;

const EDITS = new Set(
  SHORTCUTS.flatMap(({ shortcuts }) => shortcuts)
    .filter(({ edits }) => edits)
    .map(({ action }) => action),
);

interface Context {
  readonly frames: FrameSet;
  readonly review: Review;
  readonly step: Dispatch<Step>;
  readonly stage: CanvasStage | null;
  /** All objects of the frame. */
  readonly objects: readonly ShownObject[];
  readonly annotated: ReadonlySet<number>;
  readonly editing: Editing | undefined;
  readonly rights: JobRights | undefined;
  readonly focusNumber: () => void;
  readonly showHelp: () => void;
  readonly onError: (error: unknown) => void;
}

/** The actions of toolbar buttons and keys. Those that change annotations do nothing if the user cannot edit the job. */
export function useActions(context: Context): (action: Action) => void {
  const { frames, review, step, stage, objects, annotated, editing, rights, focusNumber, showHelp, onError } = context;
  const { frame, selected } = review;
  const selectedObject = objects.find(({ object }) => object.key === selected)?.object;

  const keyframeFrom = (forward: boolean): void => {
    const to = forward
      ? selectedObject?.keyframes.find((keyframe) => keyframe > frame)
      : selectedObject?.keyframes.findLast((keyframe) => keyframe < frame);
    if (to !== undefined) step({ do: 'go', to });
  };
  const annotatedFrom = (forward: boolean): void => {
    const numbers = frames.numbers.filter((number) => annotated.has(number));
    const to = forward ? numbers.find((number) => number > frame) : numbers.findLast((number) => number < frame);
    if (to !== undefined) step({ do: 'go', to });
  };
  const chooseNext = (by: 1 | -1): void => {
    const keys = objects.map(({ object }) => object.key);
    const at = selected === null ? -1 : keys.indexOf(selected);
    const next = at === -1 ? (by === 1 ? 0 : keys.length - 1) : (at + by + keys.length) % keys.length;
    step({ do: 'select', key: keys[next] ?? null });
  };
  /** Applies an edit to the selected object. */
  const edit = (change: (editor: Editing['editor'], key: string) => void): void => {
    if (editing !== undefined && selectedObject !== undefined) change(editing.editor, selectedObject.key);
  };
  const changeLayer = (by: 1 | -1): void =>
    edit((editor, key) => {
      const zOrder = (selectedObject?.zOrder ?? 0) + by;
      editor.changeShape('Change layer', key, frame, { z_order: zOrder });
    });
  const pick = (tool: Review['tool']): void => step({ do: 'use', tool });
  const actions: Readonly<Record<Action, () => void>> = {
    back: () => step({ do: 'step', by: -1 }),
    forward: () => step({ do: 'step', by: 1 }),
    'back-far': () => step({ do: 'step', by: -FAR }),
    'forward-far': () => step({ do: 'step', by: FAR }),
    first: () => step({ do: 'go', to: frames.first }),
    last: () => step({ do: 'go', to: frames.last }),
    'next-annotated': () => annotatedFrom(true),
    'previous-annotated': () => annotatedFrom(false),
    play: () => step({ do: 'play' }),
    'go-to-frame': focusNumber,
    'next-keyframe': () => keyframeFrom(true),
    'previous-keyframe': () => keyframeFrom(false),
    'pan-left': () => stage?.camera.panBy(PAN_STEP, 0),
    'pan-right': () => stage?.camera.panBy(-PAN_STEP, 0),
    'pan-up': () => stage?.camera.panBy(0, PAN_STEP),
    'pan-down': () => stage?.camera.panBy(0, -PAN_STEP),
    'zoom-in': () => stage?.camera.zoomBy(ZOOM_STEP),
    'zoom-out': () => stage?.camera.zoomBy(1 / ZOOM_STEP),
    fit: () => stage?.camera.fit(),
    'actual-size': () => stage?.camera.zoomBy(1 / stage.camera.view.scale),
    'select-tool': () => pick('select'),
    'move-tool': () => pick('move'),
    'issue-tool': () => (rights?.openIssue === true ? pick('issue') : undefined),
    'rectangle-tool': () => pick('rectangle'),
    'ellipse-tool': () => pick('ellipse'),
    'polygon-tool': () => pick('polygon'),
    'polyline-tool': () => pick('polyline'),
    'points-tool': () => pick('points'),
    'cuboid-tool': () => pick('cuboid'),
    'skeleton-tool': () => pick('skeleton'),
    draw: () => (review.tool === review.drawing ? stage?.finish() : pick(review.drawing)),
    // While a shape is drawn, undo removes its last vertex.
    undo: () => (stage?.back() === true ? undefined : editing?.editor.undo()),
    redo: () => editing?.editor.redo(),
    save: () => void editing?.saver.save().catch(onError),
    copy: () => edit((editor, key) => editor.copy(key, frame)),
    paste: () => {
      const key = editing?.editor.paste(frame);
      if (key !== undefined) step({ do: 'select', key });
    },
    propagate: () =>
      edit((editor, key) =>
        editor.propagate(key, frame, frames.numbers.filter((to) => to > frame && !frames.isDeleted(to)).slice(0, 1)),
      ),
    split: () => edit((editor, key) => editor.split(key, frame)),
    reverse: () => edit((editor, key) => editor.reshape('Reverse outline', key, frame, reversed)),
    crop: () =>
      edit((editor, key) =>
        editor.reshape('Crop to image', key, frame, (shape) => croppedTo(shape, frames.info(frame))),
      ),
    delete: () => {
      edit((editor, key) => editor.remove([key]));
      step({ do: 'select', key: null });
    },
    'toggle-occluded': () =>
      edit((editor, key) =>
        editor.changeShape('Change occlusion', key, frame, { occluded: selectedObject?.occluded !== true }),
      ),
    'toggle-outside': () => {
      if (selectedObject?.kind !== 'track') return;
      edit((editor, key) => editor.changeShape('Change outside', key, frame, { outside: !selectedObject.outside }));
    },
    'toggle-keyframe': () => edit((editor, key) => editor.toggleKeyframe(key, frame)),
    raise: () => changeLayer(1),
    lower: () => changeLayer(-1),
    'next-object': () => chooseNext(1),
    'previous-object': () => chooseNext(-1),
    'hide-object': () => {
      if (selected !== null) step({ do: 'toggle-hidden', key: selected });
    },
    'hide-all': () => step({ do: 'toggle-all' }),
    quality: () => step({ do: 'toggle-quality' }),
    filmstrip: () => step({ do: 'set', values: { hasFilmstrip: !review.hasFilmstrip } }),
    cancel: () => step({ do: 'cancel' }),
    help: showHelp,
  };
  return (action) => {
    if (!EDITS.has(action) || rights?.changeAnnotations === true) actions[action]();
  };
}
