import {
  BufferAttribute,
  BufferGeometry,
  type Camera,
  Points,
  Scene,
  ShaderMaterial,
  Sphere,
  Vector2,
  WebGLRenderer,
} from 'three';
import type { PointCloud } from './point-cloud';

export type PointColors = 'height' | 'intensity' | 'rgb';

/** How points look. */
export interface PointLook {
  readonly colors: PointColors;
  /** Diameter in screen pixels. */
  readonly size: number;
}

/** A part of the canvas, in CSS pixels from its top left corner. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const MAX_PIXEL_RATIO = 2;
const BACKGROUND = 0x14181b;

const VERTEX_SHADER = `
  attribute float intensity;
  uniform int source;
  uniform float pointSize;
  uniform float originHeight;
  uniform vec2 range;
  varying vec3 shade;
  // Blue, turquoise, green, yellow, red: distinguishable on the dark ground.
  vec3 scale(float value) {
    float at = clamp(value, 0.0, 1.0) * 4.0;
    vec3 low = mix(vec3(0.25, 0.42, 1.0), vec3(0.15, 0.80, 0.90), clamp(at, 0.0, 1.0));
    vec3 middle = mix(low, vec3(0.45, 0.90, 0.35), clamp(at - 1.0, 0.0, 1.0));
    vec3 high = mix(middle, vec3(1.0, 0.85, 0.25), clamp(at - 2.0, 0.0, 1.0));
    return mix(high, vec3(1.0, 0.35, 0.25), clamp(at - 3.0, 0.0, 1.0));
  }
  void main() {
    float value = source == 0 ? position.z + originHeight : intensity;
    shade = source == 2 ? color : scale((value - range.x) / (range.y - range.x));
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_PointSize = pointSize;
  }
`;
const FRAGMENT_SHADER = `
  varying vec3 shade;
  void main() {
    gl_FragColor = vec4(shade, 1.0);
  }
`;
const SOURCES: readonly PointColors[] = ['height', 'intensity', 'rgb'];

/** The browser has no WebGL 2, or it is switched off. */
export class NoWebGl extends Error {}

/** Draws the points of a cloud into parts of a canvas. */
export class PointRenderer {
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly material = new ShaderMaterial({
    vertexShader: VERTEX_SHADER,
    fragmentShader: FRAGMENT_SHADER,
    vertexColors: true,
    uniforms: {
      source: { value: 0 },
      pointSize: { value: 1 },
      originHeight: { value: 0 },
      range: { value: new Vector2(0, 1) },
    },
  });
  private readonly points = new Points(new BufferGeometry(), this.material);
  private cloud: PointCloud | undefined;
  private look: PointLook = { colors: 'height', size: 2 };

  /** @throws {@link NoWebGl} */
  constructor(canvas: HTMLCanvasElement) {
    // Views that do not change keep their pixels.
    const context = canvas.getContext('webgl2', { antialias: false, alpha: false, preserveDrawingBuffer: true });
    if (context === null) throw new NoWebGl();
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.autoClear = false;
    this.renderer.setScissorTest(true);
    this.renderer.setClearColor(BACKGROUND);
    this.points.frustumCulled = false;
    this.scene.add(this.points);
  }

  get count(): number {
    return this.cloud?.count ?? 0;
  }

  setCloud(cloud: PointCloud | undefined): void {
    this.cloud = cloud;
    this.points.geometry.dispose();
    this.points.geometry = new BufferGeometry();
    if (cloud === undefined) return;
    const { geometry } = this.points;
    geometry.setAttribute('position', new BufferAttribute(cloud.positions, 3));
    if (cloud.intensities !== undefined) geometry.setAttribute('intensity', new BufferAttribute(cloud.intensities, 1));
    if (cloud.colors !== undefined) geometry.setAttribute('color', new BufferAttribute(cloud.colors, 3, true));
    geometry.boundingSphere = new Sphere();
    this.points.position.set(...cloud.origin);
    this.setLook(this.look);
  }

  setLook(look: PointLook): void {
    this.look = look;
    const { source, pointSize, originHeight, range } = this.material.uniforms;
    if (source === undefined || pointSize === undefined || originHeight === undefined || range === undefined) return;
    const colors = this.cloud !== undefined && !hasColors(this.cloud, look.colors) ? 'height' : look.colors;
    source.value = SOURCES.indexOf(colors);
    pointSize.value = look.size * this.renderer.getPixelRatio();
    originHeight.value = this.cloud?.origin[2] ?? 0;
    const [low, high] = (colors === 'intensity' ? this.cloud?.intensityRange : this.cloud?.heightRange) ?? [0, 1];
    (range.value as Vector2).set(low, high);
  }

  setSize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, MAX_PIXEL_RATIO));
    this.renderer.setSize(width, height, false);
    this.setLook(this.look);
  }

  /** Draws some of the points into an area. @param clears whether it removes what the area shows */
  draw(area: Area, camera: Camera, from: number, count: number, clears: boolean): void {
    const { renderer } = this;
    const bottom = renderer.getSize(new Vector2()).y - area.top - area.height;
    renderer.setViewport(area.left, bottom, area.width, area.height);
    renderer.setScissor(area.left, bottom, area.width, area.height);
    if (clears) renderer.clear();
    this.points.geometry.setDrawRange(from, count);
    if (this.cloud !== undefined) renderer.render(this.scene, camera);
  }

  dispose(): void {
    this.points.geometry.dispose();
    this.material.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss(); // browsers allow only a few contexts
  }
}

/** Whether the points have the values of a colouring. */
export const hasColors = (cloud: PointCloud, colors: PointColors): boolean =>
  colors === 'height' || (colors === 'intensity' ? cloud.intensities : cloud.colors) !== undefined;
