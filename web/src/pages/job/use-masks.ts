import { type Dispatch, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Size } from '#shared/annotations/editing/geometry';
import type { Label } from '../../app/api';
import { NotPossible } from '../../app/not-possible';
import type { CanvasStage } from './canvas/canvas-stage';
import type { ShownObject } from './canvas/content';
import { activeKey, type Review, type Step } from './data/review';
import type { Editor } from './editing/editor';
import { allowsType } from './editing/new-objects';
import { type MaskMode, MaskOptions } from './editing/mask-options';
import type { MaskSession } from './editing/mask-session';
import type { StoringOptions } from './editing/store-mask';
import type { ModeActions } from './modes/mode-actions';
import { cleanColor } from './scene/scene';

interface Context {
  /** Undefined while the annotations cannot be changed. */
  readonly editor: Editor | undefined;
  readonly review: Review;
  readonly step: Dispatch<Step>;
  readonly stage: CanvasStage | null;
  /** The frame on the canvas. */
  readonly frame: number;
  readonly size: Size;
  /** Of a new mask. */
  readonly label: Label | undefined;
  /** All objects of the frame. */
  readonly objects: readonly ShownObject[];
  /** What the mode does after a mask was painted. */
  readonly modeActions: RefObject<ModeActions>;
  readonly onError: (error: unknown) => void;
}

/** Drawing and editing of masks. The functions that return a boolean return false if no mask is being drawn. */
export interface Masks {
  readonly options: MaskOptions;
  /** The mask being drawn; undefined until its code is loaded. */
  readonly session: MaskSession | undefined;
  /** The key of the stored mask that is being drawn. */
  readonly edited: string | undefined;
  /** Whether the label allows polygons, so that the mask can be converted to them. */
  readonly isConvertible: boolean;
  /** Draws with a tool. */
  use(mode: MaskMode): void;
  /** Edits the selected mask. */
  edit(): void;
  /** Stores what is painted so far, without ending the drawing. */
  store(): void;
  /** Completes the polygon, or else the mask. */
  finish(): void;
  /** Discards the polygon, or else the mask. */
  cancel(): boolean;
  /** Discards the mask. */
  discard(): void;
  undo(): boolean;
  redo(): boolean;
  toggleHidden(): boolean;
}

/** A mask that is being drawn until the tool, the frame or the edited mask changes. */
interface Drawing {
  readonly session: MaskSession;
  /** Of the stored mask; undefined for a new one. */
  readonly key: string | undefined;
  /** Stores what is painted so far as a mask, and goes on. */
  store(): void;
  /** Changes the label of a new mask. */
  setLabel(label: Label | undefined): void;
  /** Stores the mask. @returns its key, or those of the polygons that it was converted to */
  keep(): readonly string[];
  /** Ends the drawing without storing the mask. */
  end(): void;
}

/** A mask is stored when the user finishes it, takes another tool, leaves the frame, or saves. Only Esc discards it. */
export function useMasks(context: Context): Masks {
  const { editor, review, stage, step, frame, label, objects, modeActions, onError } = context;
  const [options] = useState(() => new MaskOptions());
  const [wanted, setWanted] = useState<{ readonly key: string; readonly frame: number }>();
  const [drawing, setDrawing] = useState<Drawing>();
  /** Increases when the next mask is painted on the same frame. */
  const [round, setRound] = useState(0);
  const latest = useRef(context);
  useLayoutEffect(() => {
    latest.current = context;
  });
  const isOn = review.tool === 'mask' && editor !== undefined && stage !== null;
  const opened = isOn && wanted?.frame === frame ? wanted.key : undefined;
  // A layout effect ends before others, so that the last mask is saved when the page is left.
  useLayoutEffect(() => {
    if (!isOn) return undefined;
    let isEnded = false;
    let current: Drawing | undefined;
    begin(latest.current, opened, options)
      .then((begun) => {
        current = begun;
        if (isEnded) begun?.end();
        else setDrawing(begun);
      })
      .catch(onError);
    return () => {
      isEnded = true;
      current?.keep();
      setDrawing(undefined);
      setWanted((now) => (now?.key === opened ? undefined : now));
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- each round has its own drawing
  }, [isOn, frame, opened, round, stage, editor, options, onError]);
  const edited = opened ?? drawing?.key;
  useEffect(() => drawing?.setLabel(label), [drawing, label]);
  const labelId = objects.find(({ object }) => object.key === edited)?.object.labelId ?? label?.id;
  const isConvertible = drawing !== undefined && allowsPolygons(editor, labelId);

  return useMemo(() => {
    const leave = (keys: readonly string[]): void => {
      step({ do: 'use', tool: 'select' });
      if (keys.length > 0) step({ do: 'select-all', keys });
    };
    const discard = (): void => {
      drawing?.end();
      leave([]);
    };
    const key = activeKey(review);
    return {
      options,
      session: drawing?.session,
      edited,
      isConvertible,
      use: (mode) => {
        if (drawing === undefined) options.set({ mode });
        else drawing.session.setMode(mode);
        step({ do: 'use', tool: 'mask' });
      },
      edit: () => {
        if (key === null) return;
        setWanted({ key, frame });
        step({ do: 'use', tool: 'mask' });
      },
      store: () => drawing?.store(),
      finish: () => {
        if (drawing === undefined || drawing.session.finishPolygon()) return;
        const keys = drawing.keep();
        const { onDrawn } = modeActions.current;
        if (onDrawn === undefined) return leave(keys);
        setRound((before) => before + 1);
        if (keys.length > 0) onDrawn();
      },
      cancel: () => {
        if (drawing === undefined) return false;
        if (!drawing.session.cancel()) discard();
        return true;
      },
      discard,
      undo: () => drawing !== undefined && (drawing.session.undo() || edited !== undefined),
      redo: () => drawing !== undefined && (drawing.session.redo() || edited !== undefined),
      toggleHidden: () => {
        if (drawing !== undefined) options.set({ isHidden: !options.values.isHidden });
        return drawing !== undefined;
      },
    };
  }, [drawing, edited, frame, isConvertible, modeActions, options, review, step]);
}

const allowsPolygons = (editor: Editor | undefined, labelId: number | undefined): boolean =>
  editor?.labels.some((label) => label.id === labelId && allowsType(label, 'polygon')) === true;

/** Starts to draw a mask. */
async function begin(context: Context, key: string | undefined, options: MaskOptions): Promise<Drawing | undefined> {
  const { editor, stage, frame, size, label, objects, review, onError } = context;
  const { MaskSession, MaskView, storeMask } = await import('./editing/mask-drawing');
  const shape = key === undefined ? undefined : editor?.shapeAt(key, frame);
  const initialLabel = shape?.label_id ?? label?.id;
  if (editor === undefined || stage === null || initialLabel === undefined) return undefined;
  let labelId = initialLabel;
  let stored = key;
  options.set({ isHidden: false });
  const session = new MaskSession(size, options, shape?.points);
  // A mask can take minutes to paint, so it must survive a crash before it is finished.
  session.onStep = () => {
    const points = session.painting.hasSteps ? session.painting.points() : undefined;
    editor.unfinished.setDraft(points && { key: stored, points, frame, label_id: labelId });
  };
  const color = objects.find(({ object }) => object.key === key)?.color ?? cleanColor(label?.color ?? '');
  const view = new MaskView(stage.container, session, { color, view: stage.camera.view });
  stage.setPainting(view);
  let isEnded = false;
  const end = (): void => {
    if (isEnded) return;
    isEnded = true;
    session.onStep = () => undefined;
    editor.unfinished.setDraft();
    stage.setPainting(undefined);
    view.end();
  };
  const write = (how: StoringOptions): readonly string[] => {
    const { keys, problem } = storeMask(
      editor,
      { key: stored, frame, size, labelId, locked: review.locked, ...how },
      session.painting.points(),
    );
    if (problem !== undefined) onError(new NotPossible(problem));
    return keys;
  };
  return {
    session,
    get key() {
      return stored;
    },
    setLabel: (changed) => {
      // When another tool is taken, the label changes to one of that tool.
      if (isEnded || shape !== undefined || changed === undefined || changed.id === labelId) return;
      labelId = changed.id;
      if (stored !== undefined) editor.setLabel(stored, labelId);
      view.setColor(cleanColor(changed.color ?? ''));
    },
    store: () => {
      if (isEnded || (!session.painting.hasSteps && stored === key)) return;
      [stored] = write({ removesUnderlying: false, convertsToPolygons: false });
      editor.unfinished.setDraft();
    },
    end,
    keep: () => {
      if (isEnded) return [];
      end();
      session.finish();
      if (!session.painting.hasSteps && stored === key) return key === undefined ? [] : [key];
      const { removesUnderlying, convertsToPolygons } = options.values;
      return write({
        removesUnderlying,
        convertsToPolygons: convertsToPolygons && allowsPolygons(editor, labelId),
      });
    },
  };
}
