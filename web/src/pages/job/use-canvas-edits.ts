import { type Dispatch, type RefObject, useEffect, useMemo } from 'react';
import type { Point } from '#shared/annotations/editing/geometry';
import type { Label } from '../../app/api';
import { NotPossible } from '../../app/not-possible';
import type { Edit } from './canvas/content';
import type { Stage } from './canvas/stage';
import type { Review, Step } from './data/review';
import type { DrawingLabel } from './editing/drawing-label';
import type { Editor } from './editing/editor';
import { allowsType } from './editing/new-objects';
import type { DrawnType, SketchedType } from './editing/sketch';
import type { ModeActions } from './modes/mode-actions';
import type { ShapeActions } from './shape-actions';

interface Context {
  /** Undefined while the annotations of the frame cannot be changed. */
  readonly editor: Editor | undefined;
  readonly review: Review;
  readonly step: Dispatch<Step>;
  readonly stage: Stage | null;
  /** The frame on the canvas. */
  readonly frame: number;
  /** Of the next drawing. */
  readonly next: DrawingLabel;
  readonly onError: (error: unknown) => void;
  readonly drawable: readonly DrawnType[];
  readonly selectedKeys: readonly string[];
  readonly shapes: ShapeActions;
  /** What the mode does after a shape was drawn. */
  readonly modeActions: RefObject<ModeActions>;
}

/** What is drawn and changed on the canvas. */
export interface CanvasEdits {
  onDraw(type: SketchedType, points: number[]): void;
  onRedraw(key: string, type: SketchedType): void;
  onEdit(key: string, edit: Edit): void;
  /** @param at the position of the centre; undefined: where the objects were */
  paste(at?: Point): void;
}

/** Applies what the user draws and changes on the canvas. */
export function useCanvasEdits(context: Context): CanvasEdits {
  const { editor, review, step, stage, frame, drawable, selectedKeys, shapes, modeActions } = context;
  const { redrawn } = review;
  useEffect(() => editor?.subscribeToDrawings(() => step({ do: 'use-label' })), [editor, step]);
  useEffect(() => (redrawn === null ? undefined : editor?.unfinished.hold(redrawn)), [editor, redrawn]);
  const onDraw = (type: SketchedType, points: number[]): void => {
    if (review.tool === 'slice') return shapes.slice(points);
    if (editor === undefined) return;
    if (redrawn !== null && editor.shapeAt(redrawn, frame)?.type === type) {
      editor.redraw(redrawn, frame, points);
      return step({ do: 'use', tool: 'select' });
    }
    const { label, problem } = context.next;
    if (problem !== undefined) return context.onError(new NotPossible(problem));
    if (label === undefined) return;
    const key = editor.draw({ type, points, frame, labelId: label.id, isTrack: review.drawsTracks });
    const { onDrawn } = modeActions.current;
    if (onDrawn !== undefined) return onDrawn();
    step({ do: 'use', tool: 'select' });
    step({ do: 'select', key });
  };
  const onEdit = (key: string, edit: Edit): void => {
    if (edit.kind === 'move') {
      const isMovable = (one: string): boolean => !review.locked.has(one) && !review.pinned.has(one);
      const moved = selectedKeys.includes(key) ? selectedKeys.filter(isMovable) : [key];
      editor?.together(() => moved.forEach((one) => editor.moveBy(one, frame, edit.dx, edit.dy)));
    } else if (edit.kind === 'place') {
      editor?.together(() =>
        edit.points.forEach((points, one) => editor.reshape(edit.title, one, frame, () => ({ points, rotation: 0 }))),
      );
    } else editor?.reshape(edit.title, key, frame, () => edit);
  };
  const paste = (at?: Point): void => {
    const keys = editor?.paste(frame, at) ?? [];
    if (keys.length === 0) return;
    step({ do: 'select-all', keys });
    stage?.pasteWhileHeld?.();
  };
  const onRedraw = (key: string, type: SketchedType): void => {
    if (drawable.includes(type)) step({ do: 'use', tool: type, redraws: key });
  };
  return { onDraw, onRedraw, onEdit, paste };
}

/** The kinds of shapes in point clouds. */
export const CLOUD_KINDS: readonly DrawnType[] = ['cuboid'];

const NO_TYPES: readonly DrawnType[] = [];

/**
 * The kinds that at least one label allows.
 * @param labels undefined if the user cannot draw
 */
export const useDrawableTypes = (
  labels: readonly Label[] | undefined,
  kinds: readonly DrawnType[],
): readonly DrawnType[] =>
  useMemo(
    () => (labels === undefined ? NO_TYPES : kinds.filter((type) => labels.some((label) => allowsType(label, type)))),
    [labels, kinds],
  );
