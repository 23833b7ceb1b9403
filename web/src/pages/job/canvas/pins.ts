import { Konva } from 'konva/lib/Core';
import { Circle } from 'konva/lib/shapes/Circle';
import { Line } from 'konva/lib/shapes/Line';
import { Text } from 'konva/lib/shapes/Text';
import type { Pin } from './content';
import type { Projection } from './viewport';

export const PIN_COLORS = { open: '#ffb020', resolved: '#4caf7d', selected: '#ffffff' } as const;
const INK = '#1a1206';
const RADIUS = 9;

/** Draws pins for the issues of the frame. Their size on the screen is fixed. */
export class Pins {
  readonly node = new Konva.Group();
  private view: Projection = { scale: 1, angle: 0 };

  show(pins: readonly Pin[]): void {
    this.node.destroyChildren();
    for (const pin of pins) this.node.add(...pinNodes(pin));
    this.keepUpright(this.view);
  }

  /** Keeps the size and the direction of the pins on the screen. */
  keepUpright(view: Projection): void {
    this.view = view;
    const [x, y] = [1 / view.scale, 1 / view.scale];
    for (const node of this.node.find('.pin')) node.scale({ x, y }).rotation(-view.angle);
  }
}

/** @returns the issue whose pin a shape belongs to */
export function issueOf(shape: Konva.Node | null): number | undefined {
  const id = Number(shape?.id());
  return Number.isInteger(id) && id > 0 ? id : undefined;
}

function pinNodes({ id, position, resolved, isSelected }: Pin): (Konva.Group | Line)[] {
  const [x = 0, y = 0] = position;
  const fill = resolved ? PIN_COLORS.resolved : PIN_COLORS.open;
  const pin = new Konva.Group({ x, y, name: 'pin' });
  pin.add(
    new Circle({
      id: String(id),
      radius: RADIUS,
      fill,
      stroke: isSelected ? PIN_COLORS.selected : INK,
      strokeWidth: isSelected ? 3 : 1.5,
    }),
    new Text({
      text: resolved ? '✓' : '!',
      fontSize: 13,
      fontStyle: 'bold',
      fill: INK,
      width: 2 * RADIUS,
      height: 2 * RADIUS,
      x: -RADIUS,
      y: -RADIUS,
      align: 'center',
      verticalAlign: 'middle',
      listening: false,
    }),
  );
  const points = outlineOf(position);
  if (points === undefined) return [pin];
  const outline = new Line({
    points,
    closed: true,
    stroke: fill,
    strokeWidth: isSelected ? 2.5 : 1.5,
    strokeScaleEnabled: false,
    dash: [6, 4],
    listening: false,
  });
  return [outline, pin];
}

/** Two corners are a box; more points are an outline. */
function outlineOf(position: readonly number[]): number[] | undefined {
  if (position.length < 4) return undefined;
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = position;
  return position.length === 4 ? [x1, y1, x2, y1, x2, y2, x1, y2] : [...position];
}
