import { startingAt, withoutVertex, withVertex } from '#shared/annotations/editing/geometry';
import type { Geometry } from '#shared/annotations/model';
import { dragged, edgeAt, type Handle, handleAt, titleOfDrag } from '../editing/handles';
import type { Redrawing } from '../editing/redrawing';
import { touches } from '../scene/hit';
import type { SceneObject } from '../scene/scene';
import type { Edit } from './content';
import { paintHandles, paintShape, type Surface } from './edit-painting';
import type { Gesture, Pointer } from './tools';

/** Maximum distance of the pointer from a handle or an edge, in screen pixels. */
const REACH = 8;
const EDGE_REACH = 5;

interface EditEvents {
  /** The layer must be drawn again. */
  onChange(): void;
  onEdit(key: string, edit: Edit): void;
  /** The user draws the rest of an outline anew, with the tool of its type. */
  onRedraw(key: string, redrawing: Redrawing): void;
  /** The user has clicked without changing anything, for example to select an object. */
  onChoose(pointer: Pointer): void;
  /** Objects are being dragged: they are drawn here instead of in the painting. */
  onDrag(keys: readonly string[]): void;
}

/** The handles of the selected object, and the objects that are being dragged. */
export class EditLayer {
  /** The active object, which has handles. */
  private selected: SceneObject | undefined;
  /** The other selected objects, which move with it. */
  private others: readonly SceneObject[] = [];
  private drag: { readonly geometry: Geometry; readonly color: string } | undefined;
  private pinned: ReadonlySet<string> = new Set();
  private draggedWith: readonly { readonly geometry: Geometry; readonly color: string }[] = [];

  constructor(
    private readonly surface: Surface,
    private readonly events: EditEvents,
  ) {}

  /** @param objects the selected objects that can be changed, the active one last */
  setSelected(objects: readonly SceneObject[], pinned: ReadonlySet<string>): void {
    this.selected = objects.at(-1);
    this.others = objects.slice(0, -1);
    this.pinned = pinned;
    this.endDrag();
  }

  /** Whether a click would change the outline of the selected object. */
  isOnOutline(pointer: Pointer): boolean {
    const [handle, geometry] = [this.handleAt(pointer), this.geometry()];
    if (handle === undefined || geometry === undefined) return false;
    const { x, y } = pointer.image;
    return handle.kind !== 'body' || edgeAt(geometry, x, y, EDGE_REACH / this.surface.view().scale) !== undefined;
  }

  /** The cursor over the selected object; undefined elsewhere. */
  cursorAt(pointer: Pointer): string | undefined {
    const handle = this.handleAt(pointer);
    if (handle === undefined) return undefined;
    return CURSORS[handle.kind];
  }

  /** Starts to drag the part of the selected object that is under the pointer. */
  begin(start: Pointer): Gesture | undefined {
    const { selected } = this;
    const handle = this.handleAt(start);
    const geometry = this.geometry();
    if (selected === undefined || handle === undefined || geometry === undefined) return undefined;
    if (handle.kind === 'body' && this.pinned.has(selected.key)) {
      const end: Gesture['end'] = (pointer, moved) =>
        moved ? undefined : this.click(selected, geometry, handle, pointer);
      return { move: () => undefined, end, cancel: () => undefined };
    }
    return {
      move: ({ image, shift }) => {
        const others = handle.kind === 'body' ? this.others.filter(({ key }) => !this.pinned.has(key)) : [];
        if (this.drag === undefined) this.events.onDrag([selected, ...others].map(({ key }) => key));
        const draggedOf = (object: SceneObject, from: Geometry) => ({
          geometry: dragged(from, handle, image.x, image.y, shift),
          color: object.labelColor,
        });
        this.drag = draggedOf(selected, geometry);
        this.draggedWith = others.flatMap((object) => {
          const from = geometryOf(object);
          return from === undefined ? [] : [draggedOf(object, from)];
        });
        this.events.onChange();
      },
      end: (pointer, moved) => {
        this.endDrag();
        if (moved) this.drop(selected, geometry, handle, pointer);
        else this.click(selected, geometry, handle, pointer);
      },
      cancel: () => {
        this.endDrag();
        this.events.onDrag([]);
        this.events.onChange();
      },
    };
  }

  paint(context: CanvasRenderingContext2D): void {
    const { surface, drag } = this;
    for (const { geometry, color } of [...this.draggedWith, ...(drag ? [drag] : [])])
      paintShape(context, geometry, color, surface);
    const geometry = drag?.geometry ?? this.geometry();
    if (geometry !== undefined) paintHandles(context, geometry, 1 / surface.view().scale);
  }

  private drop(selected: SceneObject, geometry: Geometry, handle: Handle, { image, shift }: Pointer): void {
    const { points, rotation } = dragged(geometry, handle, image.x, image.y, shift);
    if (handle.kind === 'body') {
      this.events.onEdit(selected.key, { kind: 'move', dx: image.x - handle.fromX, dy: image.y - handle.fromY });
    } else
      this.events.onEdit(selected.key, { kind: 'reshape', title: titleOfDrag(handle, geometry), points, rotation });
  }

  /**
   * On a vertex, Alt + click removes it, Ctrl + click makes it the first one of a polygon, and Shift + click redraws the
   * outline from there. A click on an edge inserts a vertex.
   */
  private click(selected: SceneObject, geometry: Geometry, handle: Handle, pointer: Pointer): void {
    const { x, y } = pointer.image;
    const reshape = (title: string, changed: Geometry): void => {
      const { points, rotation } = changed;
      if (changed !== geometry) this.events.onEdit(selected.key, { kind: 'reshape', title, points, rotation });
    };
    const edge =
      handle.kind === 'body' && !pointer.shift
        ? edgeAt(geometry, x, y, EDGE_REACH / this.surface.view().scale)
        : undefined;
    const { type } = geometry;
    if (handle.kind === 'vertex' && pointer.alt) reshape('Remove vertex', withoutVertex(geometry, handle.index));
    else if (handle.kind === 'vertex' && pointer.ctrl) reshape('Set first vertex', startingAt(geometry, handle.index));
    else if (handle.kind === 'vertex' && pointer.shift && (type === 'polygon' || type === 'polyline')) {
      this.events.onRedraw(selected.key, { type, points: geometry.points, from: handle.index });
    } else if (edge !== undefined) reshape('Insert vertex', withVertex(geometry, edge, x, y));
    else if (handle.kind === 'body') this.events.onChoose(pointer);
  }

  private handleAt({ image: { x, y } }: Pointer): Handle | undefined {
    const geometry = this.geometry();
    if (this.selected === undefined || geometry === undefined) return undefined;
    const unit = 1 / this.surface.view().scale;
    const isOnBody = [this.selected, ...this.others].some(({ drawings }) =>
      drawings.some((drawing) => touches(drawing, x, y, EDGE_REACH * unit)),
    );
    return handleAt(geometry, x, y, REACH, unit) ?? (isOnBody ? { kind: 'body', fromX: x, fromY: y } : undefined);
  }

  private geometry(): Geometry | undefined {
    return this.selected && geometryOf(this.selected);
  }

  private endDrag(): void {
    this.drag = undefined;
    this.draggedWith = [];
  }
}

const geometryOf = ({ type, points, rotation, outside }: SceneObject): Geometry | undefined =>
  type === 'tag' || outside ? undefined : { type, points: [...points], rotation };

const CURSORS: Readonly<Record<Handle['kind'], string>> = {
  side: 'nwse-resize',
  vertex: 'move',
  cuboid: 'move',
  scale: 'nwse-resize',
  rotation: 'grab',
  body: 'move',
};
