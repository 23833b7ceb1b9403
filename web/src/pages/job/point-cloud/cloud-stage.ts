import { Box3, Vector3 } from 'three';
import type { Point } from '#shared/annotations/editing/geometry';
import type { CanvasEvents, CloudContent } from '../canvas/content';
import type { Stage } from '../canvas/stage';
import type { ToolName } from '../canvas/tools';
import { DEFAULT_SETTINGS, type Display } from '../settings/settings';
import { type Cuboid, headingOf, pointsOf } from './cuboid';
import { cuboidsAmong, type ShownCuboid } from './cuboid-content';
import type { Marks } from './cuboid-painter';
import { DEFAULT_SIZE, placedAt } from './picking';
import type { PointCloud } from './point-cloud';
import { type PointLook, PointRenderer } from './point-renderer';
import { Refinement } from './refinement';
import { type Extent, OrbitCamera, PlaneCamera, type Side, type ViewCamera } from './view-camera';
import { type Changes, type PaneHost, ViewPane } from './view-pane';

export type ViewName = 'perspective' | Side;
export const VIEW_NAMES: readonly ViewName[] = ['perspective', 'top', 'side', 'front'];

/** A selected cuboid takes half of a view along an axis. */
const REACH = 2;
/** Distance of the camera from a cuboid that it looks at, in diagonals of the cuboid. */
const DISTANCE = 3;
/** What is further from the cuboid is hidden in views along an axis, in metres. */
const SURROUNDINGS = 1;
const NO_EXTENT: Extent = { min: new Vector3(-10, -10, -2), max: new Vector3(10, 10, 3) };

/** A point cloud in four views, with its cuboids drawn over it. Nothing is drawn while nothing changes. */
export class CloudStage implements Stage, PaneHost {
  private readonly panes: readonly ViewPane[];
  private readonly orbit = new OrbitCamera();
  private readonly perspective: ViewPane;
  private readonly renderer: PointRenderer;
  private readonly refinement: Refinement<ViewPane>;
  private readonly resizing: ResizeObserver;
  private content: CloudContent | undefined;
  private extent = NO_EXTENT;
  private shown: readonly ShownCuboid[] = [];
  /** Cuboids that are being dragged. */
  private draft: Changes = new Map();
  private selected: readonly string[] = [];
  private hovered: string | null = null;
  private display: Display = DEFAULT_SETTINGS;
  private toolName: ToolName = 'select';
  private active: ViewPane;
  private followed: string | undefined;
  /** Whether the views show the whole cloud, until the user moves one. */
  private isFitted = true;

  /**
   * @param canvas for the points of all views
   * @param elements the views, above the canvas
   * @throws NoWebGl
   */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    elements: Readonly<Record<ViewName, HTMLElement>>,
    private readonly events: CanvasEvents,
  ) {
    this.renderer = new PointRenderer(canvas);
    this.panes = VIEW_NAMES.map(
      (name) => new ViewPane(elements[name], name === 'perspective' ? this.orbit : new PlaneCamera(name), this),
    );
    [this.perspective] = this.panes as [ViewPane];
    this.active = this.perspective;
    for (const pane of this.panes) {
      for (const event of ['pointerenter', 'focusin'] as const)
        pane.element.addEventListener(event, () => (this.active = pane));
    }
    this.refinement = new Refinement(
      (pane, from, count) => this.drawPoints(pane, from, count),
      (isComplete) => canvas.toggleAttribute('data-complete', isComplete),
    );
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(canvas);
    canvas.addEventListener('webglcontextrestored', () => this.drawAll());
  }

  destroy(): void {
    this.resizing.disconnect();
    this.refinement.end();
    for (const pane of this.panes) pane.end();
    this.renderer.dispose();
  }

  /** Keys and buttons act on the view that the pointer or the focus entered last. */
  readonly camera = {
    view: { scale: 1, angle: 0, x: 0, y: 0 } as const,
    panBy: (dx: number, dy: number): void => this.active.panBy(dx, dy),
    zoomBy: (factor: number): void => this.active.zoomBy(factor),
    fit: (): void => this.fit(),
    turnBy: (dx: number, dy: number): void => this.perspective.orbitBy(dx, dy),
    focus: (): void => this.focus(),
    // Objects in space have no position in an image.
    reveal: (): void => undefined,
  };

  show(content: CloudContent): void {
    const { cloud, frame } = content;
    const isOther = cloud !== this.content?.cloud;
    const isFirst = this.content === undefined;
    this.content = content;
    this.draft = new Map();
    this.shown = cuboidsAmong(content.objects);
    if (isOther) {
      for (const pane of this.panes) pane.cancel();
      this.renderer.setCloud(cloud);
      this.extent = extentOf(cloud);
      if (isFirst) this.fit();
      this.canvas.dataset['frame'] = String(frame);
      this.drawAll();
    }
    this.follow();
    this.paint();
  }

  setDisplay(display: Display): void {
    this.display = display;
    this.paint();
  }

  setLook(look: PointLook): void {
    this.renderer.setLook(look);
    this.drawAll();
  }

  setSelected(keys: readonly string[]): void {
    this.selected = keys;
    this.draft = new Map();
    this.follow();
    this.paint();
  }

  setHovered(key: string | null): void {
    if (this.hovered === key) return;
    this.hovered = key;
    this.paint();
  }

  get tool(): ToolName {
    return this.toolName;
  }

  setTool(tool: ToolName): void {
    this.toolName = tool;
    this.paint();
  }

  // Cuboids are placed with one click, so there is never an unfinished one.
  finish(): void {}
  back(): boolean {
    return false;
  }
  setPointLimit(): void {}

  // Issues are positions in images.
  pinIssueAtPointer(): boolean {
    return false;
  }

  get cuboids(): readonly ShownCuboid[] {
    const { draft, shown } = this;
    return draft.size === 0 ? shown : shown.map((one) => ({ ...one, cuboid: draft.get(one.key) ?? one.cuboid }));
  }

  get marks(): Marks {
    return { selected: new Set(this.selected), hovered: this.hovered, display: this.display };
  }

  get editable(): ShownCuboid | undefined {
    const key = this.selected.at(-1);
    return this.unlocked().find((one) => one.key === key);
  }

  get movable(): readonly ShownCuboid[] {
    return this.unlocked().filter(({ key }) => this.selected.includes(key) && this.content?.pinned.has(key) === false);
  }

  private unlocked(): readonly ShownCuboid[] {
    const { content } = this;
    return content?.isEditable === true ? this.cuboids.filter(({ key }) => !content.locked.has(key)) : [];
  }

  choose(key: string | null, adds: boolean): void {
    this.events.onSelect(key, adds);
  }

  chooseAll(keys: readonly string[]): void {
    this.events.onSelectAll(keys);
  }

  hover(key: string | null): void {
    this.events.onHover(key);
  }

  placeAt(view: ViewCamera, at: Point): void {
    const { content } = this;
    if (content === undefined || this.tool !== 'cuboid') return;
    const cuboid = placedAt(content.cloud, view, at, DEFAULT_SIZE);
    if (cuboid !== undefined) this.events.onDraw('cuboid', pointsOf(cuboid));
  }

  /** Adds a cuboid in the middle of the perspective view. */
  placeInMiddle(): void {
    const { view } = this.perspective;
    this.placeAt(view, { x: view.size.width / 2, y: view.size.height / 2 });
  }

  preview(changes: Changes): void {
    this.draft = changes;
    this.paint();
  }

  commit(title: string, changes: Changes): void {
    const [key] = changes.keys();
    if (key === undefined) return;
    this.draft = changes;
    const points = new Map(Array.from(changes, ([one, cuboid]) => [one, pointsOf(cuboid)]));
    this.events.onEdit(key, { kind: 'place', title, points });
  }

  moved(pane: ViewPane): void {
    this.isFitted = false;
    pane.paint();
    this.refinement.restart(pane);
  }

  /** Shows the whole cloud in all views. */
  private fit(): void {
    for (const { view } of this.panes) view.fit(this.extent);
    this.followed = undefined;
    this.isFitted = true;
    this.drawAll();
    this.paint();
  }

  /** All views look at the selected cuboid. */
  private focus(): void {
    const cuboid = this.selectedCuboid();
    if (cuboid === undefined) return this.fit();
    this.orbit.lookAt(cuboid.centre, cuboid.size.length() * DISTANCE);
    this.refinement.restart(this.perspective);
    this.followed = undefined;
    this.follow();
    this.paint();
  }

  private selectedCuboid(): Cuboid | undefined {
    const key = this.selected.at(-1);
    return this.shown.find((one) => one.key === key)?.cuboid;
  }

  /** The views along the axes look at the selected cuboid, and the perspective view if it does not show it. */
  private follow(): void {
    const { content } = this;
    const key = this.selected.at(-1);
    const cuboid = this.selectedCuboid();
    if (content === undefined || key === undefined || cuboid === undefined) {
      this.followed = undefined;
      return;
    }
    const heading = headingOf(cuboid);
    for (const pane of this.panes) {
      const { view } = pane;
      if (!(view instanceof PlaneCamera)) continue;
      if (this.followed === key) view.follow(cuboid.centre, heading);
      else view.lookAt(cuboid.centre, cuboid.size.length() * REACH, heading, cuboid.size.length() / 2 + SURROUNDINGS);
      this.refinement.restart(pane);
    }
    if (this.followed !== key && !this.orbit.shows(cuboid.centre)) {
      this.orbit.lookAt(cuboid.centre);
      this.refinement.restart(this.perspective);
    }
    this.followed = key;
    this.isFitted = false;
  }

  private paint(): void {
    for (const pane of this.panes) pane.paint();
  }

  private drawAll(): void {
    for (const pane of this.panes) this.refinement.restart(pane);
  }

  /** @returns the number of points in all */
  private drawPoints(pane: ViewPane, from: number, count: number): number {
    const [outer, inner] = [this.canvas.getBoundingClientRect(), pane.element.getBoundingClientRect()];
    const { width, height } = inner;
    const area = { left: inner.left - outer.left, top: inner.top - outer.top, width, height };
    this.renderer.draw(area, pane.view.camera, from, count, from === 0);
    return this.renderer.count;
  }

  private resize(): void {
    this.renderer.setSize(this.canvas.clientWidth, this.canvas.clientHeight);
    for (const pane of this.panes) pane.setSize(pane.element.clientWidth, pane.element.clientHeight);
    if (this.isFitted) this.fit();
    this.drawAll();
    this.paint();
  }
}

/** The box of the cloud. Outliers, such as reflections far below the ground, do not count. */
function extentOf({ positions, origin, count }: PointCloud): Extent {
  if (count === 0) return NO_EXTENT;
  const sample = Math.min(count, 10_000);
  const along = (axis: 0 | 1 | 2): [number, number] => {
    const values = Float32Array.from({ length: sample }, (_, i) => positions[i * 3 + axis] ?? 0).sort();
    const at = (share: number): number => (values[Math.round((sample - 1) * share)] ?? 0) + origin[axis];
    return [at(0.01), at(0.99)];
  };
  const [[x1, x2], [y1, y2], [z1, z2]] = [along(0), along(1), along(2)];
  return new Box3(new Vector3(x1, y1, z1), new Vector3(x2, y2, z2));
}
