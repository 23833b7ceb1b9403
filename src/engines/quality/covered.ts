import { filterSteps, mapSteps, type Steps } from '../concurrency/steps.js';
import { type Drawing, drawnReach } from './drawing.js';
import type { FrameObject } from './frame-objects.js';
import { eachAbove } from './matching.js';
import { areaOf, type Region, without } from './regions.js';

const AREAS: ReadonlySet<string> = new Set(['rectangle', 'ellipse', 'polygon', 'mask']);

/**
 * Finds shapes that are hidden by shapes above them, of any label: those of which less than the given share is visible.
 * Rotation is ignored.
 * @param objects in the order of their z-order
 */
export function* coveredObjects(
  objects: readonly FrameObject[],
  visibility: number,
  drawing: Drawing,
): Steps<FrameObject[]> {
  const shapes = objects.filter(({ kind }) => AREAS.has(kind));
  const visible = new Map<FrameObject, Region>();
  const reaches = yield* mapSteps(shapes, (shape) => drawnReach(shape, drawing.size));
  const { budget } = drawing;
  yield* eachAbove(reaches, budget, (below, above) => {
    const [shape, other] = [shapes[below], shapes[above]];
    if (shape === undefined || other === undefined) return undefined;
    const rest = visible.get(shape) ?? drawing.uprightRegion(shape);
    const hidden = drawing.uprightRegion(other);
    budget.spend(rest.length + hidden.length);
    const left = without(rest, hidden);
    budget.keep(left.length - rest.length);
    visible.set(shape, left);
    return undefined;
  });
  return yield* filterSteps(shapes, (shape) => {
    const rest = visible.get(shape);
    if (rest === undefined) return false;
    const area = areaOf(drawing.uprightRegion(shape));
    const hidden = area - areaOf(rest);
    return hidden > 0 && 1 - hidden / area < visibility;
  });
}
