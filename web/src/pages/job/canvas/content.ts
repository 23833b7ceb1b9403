import type { Point } from '#shared/annotations/editing/geometry';
import type { SketchedType } from '../editing/sketch';
import type { PointCloud } from '../point-cloud/point-cloud';
import type { SceneObject } from '../scene/scene';
import type { PaintedObject } from './painter';
import type { Size, View } from './viewport';

/** An object with its display colour. */
export interface ShownObject {
  readonly object: SceneObject;
  readonly color: string;
  /** Where it comes from, if it does not belong to the job. */
  readonly note?: string;
}

/** A change of an object by the pointer. */
export type Edit =
  | { readonly kind: 'reshape'; readonly title: string; readonly points: number[]; readonly rotation: number }
  | { readonly kind: 'move'; readonly dx: number; readonly dy: number }
  /** New points of objects. */
  | { readonly kind: 'place'; readonly title: string; readonly points: ReadonlyMap<string, number[]> };

/** An issue on the frame. */
export interface Pin {
  readonly id: number;
  /** x, y, or corners. */
  readonly position: readonly number[];
  readonly resolved: boolean;
  readonly isSelected: boolean;
}

/** The objects of a frame, and what can be done with them. */
export interface ObjectContent {
  readonly frame: number;
  /** Lowest first. */
  readonly objects: readonly ShownObject[];
  /** Whether objects can be changed. */
  readonly isEditable: boolean;
  /** Keys of objects that cannot be changed. */
  readonly locked: ReadonlySet<string>;
  /** Keys of objects that cannot be moved as a whole. */
  readonly pinned: ReadonlySet<string>;
}

export interface CanvasContent extends ObjectContent {
  readonly image: ImageBitmap | undefined;
  /** Size of the original frame, the unit of annotations. Compressed images may be smaller. */
  readonly size: Size;
}

export interface CloudContent extends ObjectContent {
  readonly cloud: PointCloud;
}

export const NO_CONTENT: CanvasContent = {
  frame: -1,
  image: undefined,
  size: { width: 1, height: 1 },
  objects: [],
  isEditable: false,
  locked: new Set(),
  pinned: new Set(),
};

export interface CanvasEvents {
  /** @param adds whether the other selected objects stay selected */
  onSelect(key: string | null, adds: boolean): void;
  /** Called when objects were selected with a box. */
  onSelectAll(keys: readonly string[]): void;
  onHover(key: string | null): void;
  /** Called when copied objects are pasted at a position. */
  onPaste(at: Point): void;
  onIssue(id: number): void;
  /** Called when a shape is complete. */
  onDraw(type: SketchedType, points: number[]): void;
  /** Called when the user starts to draw the rest of an outline anew. */
  onRedraw(key: string, type: SketchedType): void;
  /** Called when the selected object was dragged or reshaped. */
  onEdit(key: string, edit: Edit): void;
  /** Called when a position is selected with the issue tool. */
  onPinIssue(position: number[]): void;
  onView(view: View): void;
}

/** Radius of points, in screen pixels. */
export const DOT = 3.5;

/**
 * @param text lines next to the object
 * @returns an object in the form for the painter, or nothing for objects without a position
 */
export function painted({ object, color }: ShownObject, text: readonly string[] = []): PaintedObject[] {
  const { bounds, drawings, occluded: isDashed } = object;
  return bounds === undefined ? [] : [{ color, isDashed, drawings, bounds, text }];
}
