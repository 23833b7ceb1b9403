import type { Point } from '#shared/annotations/editing/geometry';
import type { Bounds } from '../scene/drawing';

/** Maps the image to the screen: screen position = image position × `scale` + (`x`, `y`). */
export interface View {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

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
export function fitView(image: Size, screen: Size): View {
  return fitBounds({ left: 0, top: 0, right: image.width, bottom: image.height }, screen, MARGIN, MAX_SCALE);
}

/** Fits a part of the image with a margin. @param most maximum scale */
export function fitBounds({ left, top, right, bottom }: Bounds, screen: Size, margin: number, most: number): View {
  const [width, height] = [Math.max(right - left, 1), Math.max(bottom - top, 1)];
  const free = { width: Math.max(screen.width - 2 * margin, 1), height: Math.max(screen.height - 2 * margin, 1) };
  const scale = Math.min(free.width / width, free.height / height, most);
  return {
    scale,
    x: screen.width / 2 - ((left + right) / 2) * scale,
    y: screen.height / 2 - ((top + bottom) / 2) * scale,
  };
}

/** Zooms at a fixed screen position. */
export function zoomAt(view: View, factor: number, at: { x: number; y: number }, image: Size, screen: Size): View {
  const least = Math.min(fitView(image, screen).scale / 4, 1);
  const scale = Math.min(MAX_SCALE, Math.max(least, view.scale * factor));
  const ratio = scale / view.scale;
  return keepInSight({ scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio }, image, screen);
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

export const toImage = ({ scale, x, y }: View, at: { x: number; y: number }): { x: number; y: number } => ({
  x: (at.x - x) / scale,
  y: (at.y - y) / scale,
});

function keepInSight(view: View, image: Size, screen: Size): View {
  const within = (at: number, length: number, room: number): number =>
    Math.min(room - KEPT, Math.max(KEPT - length * view.scale, at));
  return {
    scale: view.scale,
    x: within(view.x, image.width, screen.width),
    y: within(view.y, image.height, screen.height),
  };
}

/** A part of the image that is painted at a scale. */
export interface Region {
  /** Its top left corner in pixels of the image. */
  readonly left: number;
  readonly top: number;
  readonly scale: number;
  /** Size of the painting in its own pixels. */
  readonly width: number;
  readonly height: number;
}

/** Area painted beyond each edge of the screen, as a fraction of its size, so that panning needs no new painting. */
const BEYOND = 0.2;

/** @returns the region to paint for a view: the visible part with a margin, limited to the image and its surroundings */
export function regionOf(view: View, screen: Size, pixelRatio: number): Region {
  const [beyondX, beyondY] = [Math.round(screen.width * BEYOND), Math.round(screen.height * BEYOND)];
  return {
    left: (-beyondX - view.x) / view.scale,
    top: (-beyondY - view.y) / view.scale,
    scale: view.scale * pixelRatio,
    width: Math.round((screen.width + 2 * beyondX) * pixelRatio),
    height: Math.round((screen.height + 2 * beyondY) * pixelRatio),
  };
}

/** Whether a painting covers the screen at a suitable resolution. */
export function covers(region: Region, view: View, screen: Size, pixelRatio: number): boolean {
  const ratio = (view.scale * pixelRatio) / region.scale;
  if (ratio > 1.6 || ratio < 0.6) return false;
  const { x: left, y: top } = toImage(view, { x: 0, y: 0 });
  const { x: right, y: bottom } = toImage(view, { x: screen.width, y: screen.height });
  return (
    left >= region.left &&
    top >= region.top &&
    right <= region.left + region.width / region.scale &&
    bottom <= region.top + region.height / region.scale
  );
}
