import type { Bounds } from '../scene/drawing';
import type { View } from './viewport';

/** What keys and buttons control of the canvas, in two and in three dimensions. */
export interface Stage {
  readonly camera: {
    readonly view: View;
    /** @param dx, dy in screen pixels */
    panBy(dx: number, dy: number): void;
    /** Zooms at the centre. */
    zoomBy(factor: number): void;
    fit(): void;
    /** Turns the image. */
    rotate?(by: 90 | -90): void;
    /** Turns the perspective view of a point cloud. @param dx, dy in screen pixels of a drag */
    turnBy?(dx: number, dy: number): void;
    /** Zooms to the selected object. @param bounds of the object; undefined if it has no position in an image */
    focus(bounds: Bounds | undefined): void;
    /** Moves to an object if it is out of sight. */
    reveal(bounds: Bounds): void;
  };
  /** Pastes again by clicks until Ctrl is released. */
  pasteWhileHeld?(): void;
  setHovered(key: string | null): void;
  /** Whether the frame is not visible yet, because it waits for its annotations. */
  readonly isChanging?: boolean;
  /** While frames are played, none appears without its annotations. */
  setPlaying?(isPlaying: boolean): void;
  /** Completes the shape being drawn. */
  finish(): void;
  /** Removes the last vertex of the shape being drawn. @returns false if none is being drawn */
  back(): boolean;
  /** Whether a shape is being drawn that another tool would discard. */
  readonly isSketching?: boolean;
  /** @param limit the number of vertices that completes a polygon, polyline or points; undefined: the user decides */
  setPointLimit(limit: number | undefined): void;
  /** Keys of the objects under the pointer, topmost first. */
  keysAtPointer?(): readonly string[];
  /** Pins an issue at the pointer. @returns false if that is not possible */
  pinIssueAtPointer(): boolean;
}
