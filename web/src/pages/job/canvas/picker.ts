import type { Point } from '#shared/annotations/editing/geometry';
import { snapTarget } from '../editing/snapping';
import type { Bounds } from '../scene/drawing';
import { objectsAt } from '../scene/hit';
import { selectedAmong } from '../scene/object-list';
import type { SceneObject } from '../scene/scene';
import type { CanvasContent } from './content';

/** Maximum distance of a click from the line that it selects, in screen pixels. */
const REACH = 5;
/** Maximum distance of a vertex from the outline that it snaps to, in screen pixels. */
const SNAP_REACH = 10;

/** Finds objects of the canvas by their position. */
export class Picker {
  /** @param scale screen pixels for each pixel of the image */
  constructor(
    private readonly content: () => CanvasContent,
    private readonly scale: () => number,
  ) {}

  /** Keys of the objects at a position, topmost first. */
  keysAt({ x, y }: Point): readonly string[] {
    return objectsAt(this.objects(), x, y, REACH / this.scale()).map(({ key }) => key);
  }

  /** Keys of the objects whose boxes overlap a box. */
  keysIn(box: Bounds): readonly string[] {
    return this.objects()
      .filter(({ bounds }) => bounds !== undefined && overlap(bounds, box))
      .map(({ key }) => key);
  }

  /** The position on an outline that a vertex snaps to. */
  snapTarget(at: Point): Point | undefined {
    return snapTarget(this.objects(), at, SNAP_REACH / this.scale());
  }

  /** The selected objects that can be changed, in the order of their selection. */
  editable(selected: readonly string[]): readonly SceneObject[] {
    const { objects, isEditable, locked } = this.content();
    if (!isEditable) return [];
    const byKey = new Map(selectedAmong(objects, selected).map((object) => [object.key, object]));
    return selected.flatMap((key) => (locked.has(key) ? [] : (byKey.get(key) ?? [])));
  }

  private objects(): readonly SceneObject[] {
    return this.content().objects.map(({ object }) => object);
  }
}

const overlap = (a: Bounds, b: Bounds): boolean =>
  a.left <= b.right && a.right >= b.left && a.top <= b.bottom && a.bottom >= b.top;
