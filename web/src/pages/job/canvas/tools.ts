import type { Point } from '#shared/annotations/editing/geometry';
import { hasVertices, type SketchedType } from '../editing/sketch';
import type { Bounds } from '../scene/drawing';
import type { Measurement } from './ruler';
import type { View } from './viewport';

/** The position of the pointer on the screen and in the image. */
export interface Pointer {
  readonly screen: Point;
  readonly image: Point;
  readonly shift: boolean;
  readonly alt: boolean;
  /** Ctrl, or Command on a Mac. */
  readonly ctrl: boolean;
}

/** The canvas functions for tools. */
export interface ToolHost {
  panBy(dx: number, dy: number): void;
  /** Whether a click with Ctrl pastes the copied objects. */
  readonly isPasting: boolean;
  pasteAt(position: Point): void;
  /** Selects the issue pin at a position, or else the object, or else nothing. */
  choose(pointer: Pointer): void;
  /** Adds the objects in a box to the selection. */
  chooseIn(box: Bounds): void;
  /** Starts to drag the selected object or one of its handles; undefined if there is nothing to drag. */
  beginEdit(pointer: Pointer): Gesture | undefined;
  /** Adds a vertex to the shape being drawn. @param isDrag whether the button was held since `from` */
  draw(type: SketchedType, from: Pointer, to: Pointer, isDrag: boolean): void;
  /** Shows the shape being drawn while the button is held. */
  sketchTo(type: SketchedType, from: Pointer, to: Pointer): void;
  /** Completes the shape being drawn. */
  finish(): void;
  /** Starts to paint a mask. */
  beginPainting(pointer: Pointer): Gesture;
  /** Shows the distance between two positions; undefined: no distance. */
  measure(measurement: Measurement | undefined): void;
  /** Shows the box being drawn. */
  showBox(box: Bounds | undefined): void;
  /** Starts an issue at a position: x, y, or two corners. */
  pinIssue(position: number[]): void;
}

/** Behaviour of the pointer while its main button is pressed. */
export interface Gesture {
  /** Whether it needs every position of the pointer. Others get one for each frame that the browser draws. */
  readonly isExact?: boolean;
  move(pointer: Pointer): void;
  /** @param moved false for a click */
  end(pointer: Pointer, moved: boolean): void;
  cancel(): void;
}

/** What the pointer does while a tool has a drawing of its own, such as a mask. */
export interface PaintingInput {
  begin(pointer: Pointer): Gesture;
  /** Called while the pointer hovers, and when it leaves. */
  hover(pointer: Pointer | null): void;
  /** Makes the brush larger or smaller. @returns false if there is none */
  resizeBrush(by: 1 | -1): boolean;
  /** Whether a shape is being drawn that another tool would discard. */
  readonly isSketching?: boolean;
  /** Completes the polygon being drawn. */
  finish(): void;
  /** Removes the last vertex of the polygon being drawn. @returns false if there is none */
  back(): boolean;
  /** Replaces the removal of the last vertex by the secondary button. */
  secondaryClick?(pointer: Pointer): boolean;
  /** Called when the visible part of the image has changed. */
  look(view: View): void;
}

export interface Tool {
  readonly cursor: string;
  begin(pointer: Pointer, host: ToolHost): Gesture;
}

const none = (): void => undefined;
export const NO_GESTURE: Gesture = { move: none, end: none, cancel: none };

/** Pans the image. Clicks go to `click`. */
function dragging(start: Pointer, host: ToolHost, click: (pointer: Pointer) => void): Gesture {
  let last = start.screen;
  return {
    move({ screen }) {
      host.panBy(screen.x - last.x, screen.y - last.y);
      last = screen;
    },
    end: (pointer, moved) => (moved ? undefined : click(pointer)),
    cancel: none,
  };
}

/** Shows a box while the pointer is dragged. */
function boxing(
  start: Pointer,
  host: ToolHost,
  drawn: (box: Bounds) => void,
  click: (pointer: Pointer) => void,
): Gesture {
  const boxTo = ({ image }: Pointer): Bounds => ({
    left: Math.min(start.image.x, image.x),
    top: Math.min(start.image.y, image.y),
    right: Math.max(start.image.x, image.x),
    bottom: Math.max(start.image.y, image.y),
  });
  return {
    move: (pointer) => host.showBox(boxTo(pointer)),
    end(pointer, moved) {
      host.showBox(undefined);
      if (moved) drawn(boxTo(pointer));
      else click(pointer);
    },
    cancel: () => host.showBox(undefined),
  };
}

/** A click selects, dragging moves the selected objects or pans. With Shift, both add to the selection. After pasting, Ctrl pastes again. */
const select: Tool = {
  cursor: 'default',
  begin(start, host) {
    if (host.isPasting && start.ctrl) return { move: none, end: ({ image }) => host.pasteAt(image), cancel: none };
    const choose = (pointer: Pointer): void => host.choose(pointer);
    const other = start.shift
      ? boxing(start, host, (box) => host.chooseIn(box), choose)
      : dragging(start, host, choose);
    return host.beginEdit(start) ?? other;
  },
};

/** Pans, whatever is under the pointer. */
export const move: Tool = { cursor: 'grab', begin: (start, host) => dragging(start, host, none) };

/** A click selects a position, dragging a box. */
const issue: Tool = {
  cursor: 'crosshair',
  begin: (start, host) =>
    boxing(
      start,
      host,
      ({ left, top, right, bottom }) => host.pinIssue([left, top, right, bottom]),
      () => host.pinIssue([start.image.x, start.image.y]),
    ),
};

/** Dragging measures a distance, which stays visible until the next press. */
const ruler: Tool = {
  cursor: 'crosshair',
  begin(start, host) {
    host.measure(undefined);
    return {
      move: ({ image }) => host.measure({ from: start.image, to: image }),
      end: none,
      cancel: () => host.measure(undefined),
    };
  },
};

/** Draws a shape: boxes by two clicks or by dragging, others by a click for each vertex. */
const draws = (type: SketchedType): Tool => ({
  cursor: 'crosshair',
  begin: (start, host) => ({
    isExact: hasVertices(type), // for drawing freehand
    move: (pointer) => host.sketchTo(type, start, pointer),
    end: (pointer, moved) => host.draw(type, start, pointer, moved),
    cancel: none,
  }),
});

/** Draws the line that slices the selected object: straight by dragging, or by a click for each vertex. */
const slice: Tool = {
  cursor: 'crosshair',
  begin: (start, host) => ({
    move: (pointer) => host.sketchTo('polyline', start, pointer),
    end: (pointer, moved) => {
      host.draw('polyline', start, pointer, moved);
      if (moved) host.finish();
    },
    cancel: none,
  }),
};

export const TOOLS = {
  select,
  move,
  issue,
  ruler,
  rectangle: draws('rectangle'),
  ellipse: draws('ellipse'),
  polygon: draws('polygon'),
  polyline: draws('polyline'),
  points: draws('points'),
  cuboid: draws('cuboid'),
  skeleton: draws('skeleton'),
  slice,
  scissors: { cursor: 'crosshair', begin: (start: Pointer, host: ToolHost) => host.beginPainting(start) },
  clicks: { cursor: 'crosshair', begin: (start: Pointer, host: ToolHost) => host.beginPainting(start) },
  mask: { cursor: 'crosshair', begin: (start: Pointer, host: ToolHost) => host.beginPainting(start) },
} as const;
export type ToolName = keyof typeof TOOLS;
