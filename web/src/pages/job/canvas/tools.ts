import type { Bounds } from '../scene/drawing';

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A moment of the pointer: where it is on the screen, and in the image. */
export interface Pointer {
  readonly screen: Place;
  readonly image: Place;
}

/** What tools can do with the canvas. */
export interface ToolHost {
  panBy(dx: number, dy: number): void;
  /** Chooses what is there: a pin of an issue, else an object, else nothing. */
  choose(pointer: Pointer): void;
  /** Shows a box that is being drawn. */
  showBox(box: Bounds | undefined): void;
  /** A place was chosen: x, y, or two corners. */
  place(position: number[]): void;
}

/** What the pointer does while its main button is down. Tools that draw are more of these. */
interface Gesture {
  move(pointer: Pointer): void;
  /** @param moved false for a click */
  end(pointer: Pointer, moved: boolean): void;
  cancel(): void;
}

export interface Tool {
  readonly cursor: string;
  begin(pointer: Pointer, host: ToolHost): Gesture;
}

const none = (): void => undefined;

/** Moves the image; a click is for `click`. */
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

/** A click chooses, dragging moves the image. */
const select: Tool = {
  cursor: 'default',
  begin: (start, host) => dragging(start, host, (pointer) => host.choose(pointer)),
};

/** Moves the image whatever lies under the pointer. */
export const move: Tool = { cursor: 'grab', begin: (start, host) => dragging(start, host, none) };

/** A click is a place, dragging is a box. */
const issue: Tool = {
  cursor: 'crosshair',
  begin(start, host) {
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
        const { left, top, right, bottom } = boxTo(pointer);
        host.place(moved ? [left, top, right, bottom] : [start.image.x, start.image.y]);
      },
      cancel: () => host.showBox(undefined),
    };
  },
};

export const TOOLS = { select, move, issue } as const;
export type ToolName = keyof typeof TOOLS;
