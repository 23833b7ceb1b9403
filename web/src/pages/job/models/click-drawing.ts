import type { Size } from '#shared/annotations/editing/geometry';
import { NotPossible } from '../../../app/not-possible';
import { callModel } from '../../../components/models/model-requests';
import type { Model } from '../../../components/models/model';
import type { CanvasStage } from '../canvas/canvas-stage';
import type { Editor } from '../editing/editor';
import { storeMask } from '../editing/store-mask';
import { ClickSession, limitsOf, type Prompt } from './click-session';
import { ClickView } from './click-view';
import { maskOfAnswer } from './mask-answer';

/** What is made of the clicks. */
export interface ClickTarget {
  readonly labelId: number;
  /** `#rrggbb` */
  readonly color: string;
  readonly asPolygons: boolean;
}

interface ClickContext {
  readonly editor: Editor;
  readonly stage: CanvasStage;
  readonly model: Model;
  readonly taskId: number;
  readonly jobId: number;
  readonly frame: number;
  readonly size: Size;
  readonly onError: (error: unknown) => void;
}

/** Segments one object of a frame by clicks. It is loaded when the tool is first used. */
export class ClickDrawing {
  readonly session: ClickSession;
  private readonly view: ClickView;
  private readonly unsubscribe: () => void;
  private isEnded = false;

  constructor(
    private readonly context: ClickContext,
    private target: ClickTarget,
  ) {
    const { stage, size, model } = context;
    this.session = new ClickSession(limitsOf(model), (prompt) => this.ask(prompt));
    this.view = new ClickView(stage.container, this.session, size, target.color, stage.camera.view);
    stage.setPainting(this.view);
    this.unsubscribe = this.session.subscribe(() => this.keepDraft());
  }

  setTarget(target: ClickTarget): void {
    if (target.color !== this.target.color) this.view.setColor(target.color);
    this.target = target;
    this.keepDraft();
  }

  /** Stores the object, and ends. @returns the keys of the mask or of its polygons; none if nothing was segmented */
  keep(): readonly string[] {
    if (this.isEnded) return [];
    const { mask } = this.session.snapshot();
    this.end();
    if (mask === undefined) return [];
    const { editor, frame, size, onError } = this.context;
    const { labelId, asPolygons } = this.target;
    const { keys, problem } = storeMask(
      editor,
      {
        key: undefined,
        frame,
        size,
        labelId,
        locked: new Set(),
        source: 'semi-auto',
        removesUnderlying: false,
        convertsToPolygons: asPolygons,
      },
      [...mask],
    );
    if (problem !== undefined) onError(new NotPossible(problem));
    return keys;
  }

  /** Ends without storing anything. */
  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.unsubscribe();
    this.session.end();
    this.context.editor.unfinished.setDraft();
    this.context.stage.setPainting(undefined);
    this.view.end();
  }

  /** A mask survives a crash of the browser before it is finished. */
  private keepDraft(): void {
    const { mask } = this.session.snapshot();
    const { labelId, asPolygons } = this.target;
    const isKept = mask !== undefined && !asPolygons;
    const { editor, frame } = this.context;
    editor.unfinished.setDraft(isKept ? { key: undefined, points: [...mask], frame, label_id: labelId } : undefined);
  }

  private async ask({ positive, negative, box }: Prompt): Promise<number[] | undefined> {
    const { model, taskId, jobId, frame, size } = this.context;
    const pair = ({ x, y }: { readonly x: number; readonly y: number }): [number, number] => [x, y];
    const answer = await callModel(model, {
      type: 'interact',
      frame,
      task: taskId,
      job: jobId,
      pos_points: positive.map(pair),
      neg_points: negative.map(pair),
      obj_bbox: (box ?? []).map(pair),
    });
    return maskOfAnswer(answer, size);
  }
}
