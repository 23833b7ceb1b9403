import { useEffect, useLayoutEffect, useRef } from 'react';
import type { Size } from '#shared/annotations/editing/geometry';
import { CanvasStage } from '../canvas/canvas-stage';
import type { Stage } from '../canvas/stage';
import { type Gesture, NO_GESTURE, type PaintingInput, type Pointer } from '../canvas/tools';
import type { ShownImage } from '../frames/use-frame-image';

interface Context {
  /** Whether the tool is in use. */
  readonly isOn: boolean;
  readonly stage: Stage | null;
  readonly shown: ShownImage | null;
  /** The frame on the canvas. */
  readonly frame: number;
  readonly size: Size;
  /** Receives the points of a finished polygon. */
  readonly onDraw: (type: 'polygon', points: number[]) => void;
  readonly onError: (error: unknown) => void;
}

/** Draws polygons that follow edges of the image, until the tool or the frame changes. */
export function useScissors(context: Context): void {
  const { isOn, stage, frame, onError } = context;
  const latest = useRef(context);
  useLayoutEffect(() => {
    latest.current = context;
  });
  useEffect(() => {
    if (!isOn || !(stage instanceof CanvasStage)) return undefined;
    let end: (() => void) | 'ended' | undefined;
    const early = new EarlyClicks();
    stage.setPainting(early);
    const begin = async (): Promise<void> => {
      const { ScissorsDrawing } = await import('./scissors-drawing');
      if (end === 'ended') return;
      const drawing = new ScissorsDrawing({
        stage,
        image: () => {
          const image = latest.current.shown?.image;
          return image instanceof ImageBitmap ? image : undefined;
        },
        size: latest.current.size,
        onDraw: (points) => latest.current.onDraw('polygon', points),
      });
      end = () => drawing.end();
      for (const click of early.clicks) drawing.begin().end(click, false);
    };
    begin().catch(onError);
    return () => {
      if (typeof end === 'function') end();
      else stage.setPainting(undefined);
      end = 'ended';
    };
  }, [isOn, stage, frame, onError]);
}

/** Keeps the clicks of the user until the code of the tool is loaded. */
class EarlyClicks implements PaintingInput {
  readonly clicks: Pointer[] = [];

  begin(): Gesture {
    return { ...NO_GESTURE, end: (pointer) => void this.clicks.push(pointer) };
  }

  back(): boolean {
    return this.clicks.pop() !== undefined;
  }

  hover(): void {}
  look(): void {}
  finish(): void {}
  resizeBrush(): boolean {
    return false;
  }
}
