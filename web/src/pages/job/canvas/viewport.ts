import type { Bounds } from '../scene/drawing';

/** Where the image lies on the screen: a place of the image times `scale` plus `x`, `y` is its place on the screen. */
export interface View {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Screen pixels for a pixel of the image, at most. */
export const MAX_SCALE = 64;
/** As much of the image as this, in screen pixels, never leaves the screen. */
const KEPT = 48;
/** Left free around an image that is fitted. */
const MARGIN = 16;

/** The whole image, centred; never larger than it can be seen at once. */
export function fitView(image: Size, screen: Size): View {
  return fitBounds({ left: 0, top: 0, right: image.width, bottom: image.height }, screen, MARGIN, MAX_SCALE);
}

/** A part of the image, centred, with some of its surroundings. @param most scale that is not exceeded */
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

/** Zooms so that the place under the given one on the screen stays there. */
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

interface Spot {
  readonly x: number;
  readonly y: number;
}

/**
 * What two fingers mean that have moved.
 * @returns how far the middle between them went, and by how much they are farther apart, about where it is now
 */
export function pinchOf(
  [a, b]: readonly [Spot, Spot],
  [nowA, nowB]: readonly [Spot, Spot],
): { readonly factor: number; readonly at: Spot; readonly dx: number; readonly dy: number } {
  const [before, at] = [middleOf(a, b), middleOf(nowA, nowB)];
  const distance = Math.hypot(a.x - b.x, a.y - b.y);
  const factor = distance === 0 ? 1 : Math.hypot(nowA.x - nowB.x, nowA.y - nowB.y) / distance;
  return { factor: factor === 0 ? 1 : factor, at, dx: at.x - before.x, dy: at.y - before.y };
}

const middleOf = (a: Spot, b: Spot): Spot => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

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

/** A part of the image, painted at a scale. */
export interface Region {
  /** Its left upper corner in pixels of the image. */
  readonly left: number;
  readonly top: number;
  readonly scale: number;
  /** Of the painting, in its own pixels. */
  readonly width: number;
  readonly height: number;
}

/** Painted beyond each edge of the screen, as a part of its size: so far it can be moved without painting anew. */
const BEYOND = 0.2;

/** What is worth painting for a view: what the screen shows and some more, within the image and what surrounds it. */
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

/** Does a painting show all that the screen shows, and neither coarse nor thin? */
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
