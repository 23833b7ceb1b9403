import { type Dispatch, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Size } from '#shared/annotations/editing/geometry';
import type { Job, Label } from '../../../app/api';
import type { Model } from '../../../components/models/model';
import { CanvasStage } from '../canvas/canvas-stage';
import type { Stage } from '../canvas/stage';
import type { Action } from '../data/actions';
import type { Review, Step } from '../data/review';
import { CLICKED_TYPES, drawingLabel } from '../editing/drawing-label';
import type { Editor } from '../editing/editor';
import { allowsType } from '../editing/new-objects';
import { cleanColor } from '../scene/scene';
import type { ClickDrawing } from './click-drawing';

interface Context {
  readonly job: Job;
  readonly interactors: readonly Model[];
  /** Undefined while the annotations cannot be changed. */
  readonly editor: Editor | undefined;
  readonly review: Review;
  readonly step: Dispatch<Step>;
  readonly stage: Stage | null;
  /** The frame on the canvas. */
  readonly frame: number;
  readonly size: Size;
  readonly onError: (error: unknown) => void;
}

/** Segmenting objects by clicks. */
export interface Clicks {
  /** Undefined until the tool is in use and its code is loaded. */
  readonly drawing: ClickDrawing | undefined;
  readonly model: Model | undefined;
  /** The labels that a result can have. */
  readonly labels: readonly Label[];
  readonly label: Label | undefined;
  /** Why results cannot have the label. */
  readonly problem: string | undefined;
  /** What a result can become with the label. */
  readonly results: readonly ('mask' | 'polygon')[];
  readonly asPolygons: boolean;
  /** What keys and buttons do while the tool is in use. */
  readonly actions: Partial<Record<Action, () => void>>;
  chooseModel(id: string): void;
  setAsPolygons(asPolygons: boolean): void;
}

const NO_LABELS: readonly Label[] = [];
const NO_ACTIONS = {};

/** An object is stored when the user finishes it, takes another tool, or leaves the frame. Only Esc discards it. */
export function useClicks(context: Context): Clicks {
  const { job, interactors, editor, review, step, stage, frame, onError } = context;
  const [id, setId] = useState<string>();
  const [wantsPolygons, setWantsPolygons] = useState(false);
  const [drawing, setDrawing] = useState<ClickDrawing>();
  const model = interactors.find((one) => one.id === id) ?? interactors[0];
  const labels = useMemo(
    () => editor?.labels.filter((one) => CLICKED_TYPES.some((type) => allowsType(one, type))) ?? NO_LABELS,
    [editor?.labels],
  );
  const { label, problem } = drawingLabel(editor?.labels ?? NO_LABELS, review, CLICKED_TYPES);
  const results = CLICKED_TYPES.filter((type) => label !== undefined && allowsType(label, type));
  const asPolygons = results.includes('polygon') && (wantsPolygons || !results.includes('mask'));
  const target = useMemo(
    () =>
      label === undefined || problem !== undefined
        ? undefined
        : { labelId: label.id ?? 0, color: cleanColor(label.color ?? ''), asPolygons },
    [label, problem, asPolygons],
  );
  const isOn = review.tool === 'clicks' && editor !== undefined && stage instanceof CanvasStage && target !== undefined;
  const latest = useRef({ ...context, model, target });
  useLayoutEffect(() => {
    latest.current = { ...context, model, target };
  });
  // A layout effect ends before others, so that the last object is saved when the page is left.
  useLayoutEffect(() => {
    if (!isOn || model === undefined) return undefined;
    let isEnded = false;
    let current: ClickDrawing | undefined;
    const begin = async (): Promise<void> => {
      const code = await import('./click-drawing');
      const { size, target: aim } = latest.current;
      if (isEnded || aim === undefined) return;
      current = new code.ClickDrawing(
        { editor, stage, model, taskId: job.task_id, jobId: job.id, frame, size, onError },
        aim,
      );
      setDrawing(current);
    };
    begin().catch(onError);
    return () => {
      isEnded = true;
      current?.keep();
      setDrawing(undefined);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- each frame and function has its own drawing
  }, [isOn, frame, model?.id, stage, editor, onError]);
  useEffect(() => (target === undefined ? undefined : drawing?.setTarget(target)), [drawing, target]);
  const actions = useMemo(() => (drawing === undefined ? NO_ACTIONS : clickActions(drawing, step)), [drawing, step]);
  return {
    drawing,
    model,
    labels,
    label,
    problem,
    results,
    asPolygons,
    actions,
    chooseModel: (next) => {
      drawing?.end(); // the mask of another function would be stored otherwise
      setId(next);
    },
    setAsPolygons: setWantsPolygons,
  };
}

function clickActions(drawing: ClickDrawing, step: Dispatch<Step>): Partial<Record<Action, () => void>> {
  const { session } = drawing;
  const leave = (keys: readonly string[]): void => {
    step({ do: 'use', tool: 'select' });
    if (keys.length > 0) step({ do: 'select-all', keys });
  };
  const finish = async (): Promise<void> => {
    if (!session.hasPrompt) return leave([]);
    if ((await session.finished()) !== undefined) leave(drawing.keep());
  };
  return {
    draw: () => void finish(),
    recolor: () => void finish(),
    undo: () => void session.undo(),
    redo: () => void session.redo(),
    cancel: () => {
      drawing.end();
      leave([]);
    },
  };
}
