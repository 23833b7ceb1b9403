import type { Point } from '#shared/annotations/editing/geometry';
import type { Bounds } from '../scene/drawing';

/** Clockwise, in degrees. */
export type Angle = 0 | 90 | 180 | 270;

/** Maps the image to the screen: it is scaled, turned around its top left corner, and moved by (`x`, `y`). */
export interface View {
  readonly scale: number;
  readonly angle: Angle;
  readonly x: number;
  readonly y: number;
}

/** The scale and the angle of the image on the screen. */
export type Projection = Pick<View, 'scale' | 'angle'>;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Maximum number of screen pixels per pixel of the image. */
export const MAX_SCALE = 64;
/** Minimum part of the image that stays on the screen, in screen pixels. */
const KEPT = 48;
/** Margin around a fitted image. */
const MARGIN = 16;

/** Fits the image to the screen and centres it. */
export function fitView(image: Size, screen: Size, angle: Angle = 0): View {
  return fitBounds(boundsOfImage(image), screen, { angle, margin: MARGIN, most: MAX_SCALE });
}

/** Fits a part of the image with a margin. `most` is the maximum scale. */
export function fitBounds(
  bounds: Bounds,
  screen: Size,
  { angle, margin, most }: { readonly angle: Angle; readonly margin: number; readonly most: number },
): View {
  const { left, top, right, bottom } = turnedBounds(bounds, angle);
  const free = { width: Math.max(screen.width - 2 * margin, 1), height: Math.max(screen.height - 2 * margin, 1) };
  const scale = Math.min(free.width / Math.max(right - left, 1), free.height / Math.max(bottom - top, 1), most);
  return {
    scale,
    angle,
    x: screen.width / 2 - ((left + right) / 2) * scale,
    y: screen.height / 2 - ((top + bottom) / 2) * scale,
  };
}

/** Turns the view by 90° around the centre of the screen. */
export function turnView(view: View, by: 90 | -90, screen: Size): View {
  const centre = { x: screen.width / 2, y: screen.height / 2 };
  const angle = sumOf(view.angle, by);
  const { x, y } = turned(toImage(view, centre), angle);
  return { scale: view.scale, angle, x: centre.x - x * view.scale, y: centre.y - y * view.scale };
}

/** Zooms at a fixed screen position. */
export function zoomAt(view: View, factor: number, at: Point, image: Size, screen: Size): View {
  const least = Math.min(fitView(image, screen, view.angle).scale / 4, 1);
  const scale = Math.min(MAX_SCALE, Math.max(least, view.scale * factor));
  const ratio = scale / view.scale;
  const moved = { x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
  return keepInSight({ ...view, scale, ...moved }, image, screen);
}

/** @param dx, dy in screen pixels */
export function panBy(view: View, dx: number, dy: number, image: Size, screen: Size): View {
  return keepInSight({ ...view, x: view.x + dx, y: view.y + dy }, image, screen);
}

/**
 * Interprets the movement of two fingers.
 * @returns the movement of their midpoint, the ratio of their distances, and the new midpoint
 */
export function pinchOf(
  [a, b]: readonly [Point, Point],
  [nowA, nowB]: readonly [Point, Point],
): { readonly factor: number; readonly at: Point; readonly dx: number; readonly dy: number } {
  const [before, at] = [middleOf(a, b), middleOf(nowA, nowB)];
  const distance = Math.hypot(a.x - b.x, a.y - b.y);
  const factor = distance === 0 ? 1 : Math.hypot(nowA.x - nowB.x, nowA.y - nowB.y) / distance;
  return { factor: factor === 0 ? 1 : factor, at, dx: at.x - before.x, dy: at.y - before.y };
}

const middleOf = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

export function toImage({ scale, angle, x, y }: View, at: Point): Point {
  return turned({ x: (at.x - x) / scale, y: (at.y - y) / scale }, inverse(angle));
}

/** The inverse of `toImage`. */
export function toScreen({ scale, angle, x, y }: View, at: Point): Point {
  const moved = turned(at, angle);
  return { x: moved.x * scale + x, y: moved.y * scale + y };
}

/** @returns the part of the image, and of its surroundings, that the screen shows */
export function inSight(view: View, screen: Size, beyond: Size = { width: 0, height: 0 }): Bounds {
  const from = toImage(view, { x: -beyond.width, y: -beyond.height });
  const to = toImage(view, { x: screen.width + beyond.width, y: screen.height + beyond.height });
  return boundsOfCorners(from, to);
}

function keepInSight(view: View, image: Size, screen: Size): View {
  const { left, top, right, bottom } = turnedBounds(boundsOfImage(image), view.angle);
  const within = (at: number, from: number, to: number, room: number): number =>
    Math.min(room - KEPT - from * view.scale, Math.max(KEPT - to * view.scale, at));
  return {
    ...view,
    x: within(view.x, left, right, screen.width),
    y: within(view.y, top, bottom, screen.height),
  };
}

const sumOf = (angle: Angle, by: 90 | -90): Angle => ((angle + by + 360) % 360) as Angle;
export const inverse = (angle: Angle): Angle => ((360 - angle) % 360) as Angle;

/** Turns a position around the origin. */
export function turned({ x, y }: Point, angle: Angle): Point {
  switch (angle) {
    case 0:
      return { x, y };
    case 90:
      return { x: 0 - y, y: x };
    case 180:
      return { x: 0 - x, y: 0 - y };
    case 270:
      return { x: y, y: 0 - x };
  }
}

export function turnedBounds({ left, top, right, bottom }: Bounds, angle: Angle): Bounds {
  return boundsOfCorners(turned({ x: left, y: top }, angle), turned({ x: right, y: bottom }, angle));
}

const boundsOfCorners = (a: Point, b: Point): Bounds => ({
  left: Math.min(a.x, b.x),
  top: Math.min(a.y, b.y),
  right: Math.max(a.x, b.x),
  bottom: Math.max(a.y, b.y),
});

const boundsOfImage = ({ width, height }: Size): Bounds => ({ left: 0, top: 0, right: width, bottom: height });

/** A part of the image that is painted at a scale. */
export interface Region {
  /** Its top left corner in pixels of the image. */
  readonly left: number;
  readonly top: number;
  readonly scale: number;
  /** Of the view. The painting is not turned, but its texts are upright in the view. */
  readonly angle: Angle;
  /** Size of the painting in its own pixels. */
  readonly width: number;
  readonly height: number;
}

/** Area painted beyond each edge of the screen, as a fraction of its size, so that panning needs no new painting. */
const BEYOND = 0.2;

/** @returns the region to paint for a view: the visible part with a margin, limited to the image and its surroundings */
export function regionOf(view: View, screen: Size, pixelRatio: number): Region {
  const { scale, angle } = view;
  const beyond = { width: Math.round(screen.width * BEYOND), height: Math.round(screen.height * BEYOND) };
  const { left, top } = inSight(view, screen, beyond);
  const across = Math.round((screen.width + 2 * beyond.width) * pixelRatio);
  const down = Math.round((screen.height + 2 * beyond.height) * pixelRatio);
  const [width, height] = angle === 90 || angle === 270 ? [down, across] : [across, down];
  return { left, top, scale: scale * pixelRatio, angle, width, height };
}

/** Whether a painting covers the screen at a suitable resolution. */
export function covers(region: Region, view: View, screen: Size, pixelRatio: number): boolean {
  const ratio = (view.scale * pixelRatio) / region.scale;
  if (ratio > 1.6 || ratio < 0.6 || region.angle !== view.angle) return false;
  const { left, top, right, bottom } = inSight(view, screen);
  return (
    left >= region.left &&
    top >= region.top &&
    right <= region.left + region.width / region.scale &&
    bottom <= region.top + region.height / region.scale
  );
}
