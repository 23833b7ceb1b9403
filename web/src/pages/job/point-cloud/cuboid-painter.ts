import type { Point } from '#shared/annotations/editing/geometry';
import { drawText, textOf } from '../canvas/texts';
import type { Bounds } from '../scene/drawing';
import type { Display } from '../settings/settings';
import { CORNERS, type Cuboid, EDGES, FACES, cornerPoint } from './cuboid';
import type { ShownCuboid } from './cuboid-content';
import type { ViewCamera } from './view-camera';

/** How cuboids are drawn. */
export interface Marks {
  readonly selected: ReadonlySet<string>;
  readonly hovered: string | null;
  readonly display: Display;
}

/** How much thicker marked lines are. */
const STRONGER = 1.6;
const DASHES = [6, 4];
/** From the centre to the front, as a fraction of half the length. */
const ARROW_START = 0.5;

/** Draws cuboids over the points of a view. */
export function paintCuboids(
  context: CanvasRenderingContext2D,
  view: ViewCamera,
  cuboids: readonly ShownCuboid[],
  { selected, hovered, display }: Marks,
): void {
  const { fill, selectedFill, outline, texts } = display;
  for (const { key, color, cuboid, isDashed } of cuboids) {
    const isMarked = selected.has(key) || hovered === key;
    context.strokeStyle = isMarked ? '#fff' : color;
    context.fillStyle = color;
    context.lineWidth = outline * (isMarked ? STRONGER : 1);
    context.setLineDash(isDashed ? DASHES : []);
    paintFaces(context, view, cuboid, isMarked ? selectedFill : fill);
    context.beginPath();
    const corners = CORNERS.map((signs) => cornerPoint(cuboid, signs));
    for (const [from, to] of EDGES) {
      const [start, end] = [corners[from], corners[to]];
      const line = start && end && view.projectLine(start, end);
      if (line !== undefined) addLine(context, line);
    }
    // The arrow shows which side is the front.
    const arrow = view.projectLine(
      cuboid.centre.clone().lerp(cornerPoint(cuboid, [1, 0, 0]), ARROW_START),
      cornerPoint(cuboid, [1, 0, 0]),
    );
    if (arrow !== undefined) addLine(context, arrow);
    context.stroke();
  }
  context.setLineDash([]);
  for (const { key, object, cuboid } of cuboids) {
    const hasText = texts.which === 'all' || (texts.which === 'selected' && (selected.has(key) || hovered === key));
    const bounds = hasText ? boundsOf(view, cuboid) : undefined;
    if (bounds !== undefined) drawText(context, textOf(object, texts), bounds, { scale: 1, angle: 0 }, texts);
  }
}

/** @returns the box around a cuboid on the screen, unless a part of it is behind the camera */
function boundsOf(view: ViewCamera, cuboid: Cuboid): Bounds | undefined {
  const spots = CORNERS.flatMap((signs) => view.project(cornerPoint(cuboid, signs)) ?? []);
  if (spots.length < CORNERS.length) return undefined;
  const [xs, ys] = [spots.map(({ x }) => x), spots.map(({ y }) => y)];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

function addLine(context: CanvasRenderingContext2D, [from, to]: readonly [Point, Point]): void {
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
}

/** Fills the faces that are completely in front of the camera. Two faces cover each other, so each has half the opacity. */
function paintFaces(context: CanvasRenderingContext2D, view: ViewCamera, cuboid: Cuboid, fill: number): void {
  const spots = CORNERS.map((signs) => view.project(cornerPoint(cuboid, signs)));
  context.globalAlpha = fill / 2;
  for (const face of FACES) {
    const outline = face.flatMap((corner) => spots[corner] ?? []);
    if (outline.length < face.length) continue;
    context.beginPath();
    for (const { x, y } of outline) context.lineTo(x, y);
    context.fill();
  }
  context.globalAlpha = 1;
}
