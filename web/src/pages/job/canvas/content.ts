import type { SceneObject } from '../scene/scene';
import type { PaintedObject } from './painter';
import type { Size, View } from './viewport';

/** An object with the colour that it is shown in. */
export interface ShownObject {
  readonly object: SceneObject;
  readonly color: string;
}

/** An issue on the frame. */
export interface Pin {
  readonly id: number;
  /** x, y, or corners. */
  readonly position: readonly number[];
  readonly resolved: boolean;
  readonly isChosen: boolean;
}

export interface CanvasContent {
  readonly frame: number;
  readonly picture: ImageBitmap | undefined;
  /** Of the frame, in the pixels that annotations count in; a compressed picture may have others. */
  readonly size: Size;
  /** Lowest first. */
  readonly objects: readonly ShownObject[];
  /** Opacity of what is filled, 0 to 1. */
  readonly fill: number;
}

export const NO_CONTENT: CanvasContent = {
  frame: -1,
  picture: undefined,
  size: { width: 1, height: 1 },
  objects: [],
  fill: 0.2,
};

export interface CanvasEvents {
  onSelect(key: string | null): void;
  onHover(key: string | null): void;
  onIssue(id: number): void;
  /** A place was chosen with the tool for issues. */
  onPlace(position: number[]): void;
  onView(view: View): void;
}

/** Widths of lines and points, in screen pixels. */
export const LINE = 1.75;
export const DOT = 3.5;

/** What the painter gets of an object; nothing for those that have no place. */
export function painted({ object, color }: ShownObject): PaintedObject[] {
  const { bounds, drawings, occluded: isDashed } = object;
  return bounds === undefined ? [] : [{ color, isDashed, drawings, bounds }];
}
