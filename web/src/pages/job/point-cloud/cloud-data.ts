/** The points of a frame in random order: any first part of them is a sample of the whole cloud. */
export interface CloudData {
  readonly count: number;
  /** Positions are relative to it, because 32-bit floats are too coarse for geographic coordinates. */
  readonly origin: readonly [x: number, y: number, z: number];
  /** x, y, z for each point, in metres. */
  readonly positions: Float32Array<ArrayBuffer>;
  readonly intensities: Float32Array<ArrayBuffer> | undefined;
  /** Red, green, blue for each point. */
  readonly colors: Uint8Array<ArrayBuffer> | undefined;
  /** Ranges of the colour scales, without outliers. Heights are absolute. */
  readonly heightRange: readonly [low: number, high: number];
  readonly intensityRange: readonly [low: number, high: number];
}

interface Extras {
  readonly intensity?: ((point: number) => number) | undefined;
  /** Colours as 0xRRGGBB. */
  readonly color?: ((point: number) => number) | undefined;
}

const SAMPLES = 10_000;
const OUTLIERS = 0.02;
/** Any constant: the same file has the same order every time. */
const SEED = 0x9e3779b9;

/** Collects the points of a cloud. */
export class CloudBuilder {
  private count = 0;
  private origin: [number, number, number] | undefined;
  private readonly positions: Float32Array<ArrayBuffer>;
  private readonly intensities: Float32Array<ArrayBuffer> | undefined;
  private readonly colors: Uint8Array<ArrayBuffer> | undefined;

  /** @param most maximum number of points */
  constructor(
    most: number,
    private readonly extras: Extras,
  ) {
    this.positions = new Float32Array(most * 3);
    this.intensities = extras.intensity && new Float32Array(most);
    this.colors = extras.color && new Uint8Array(most * 3);
  }

  /** Adds a point, unless it has no position. @param index of the point in the file */
  add(index: number, x: number, y: number, z: number): void {
    if (!Number.isFinite(x + y + z)) return;
    const [x0, y0, z0] = (this.origin ??= [Math.round(x), Math.round(y), Math.round(z)]);
    const { count, extras } = this;
    this.positions[count * 3] = x - x0;
    this.positions[count * 3 + 1] = y - y0;
    this.positions[count * 3 + 2] = z - z0;
    if (this.intensities !== undefined) this.intensities[count] = extras.intensity?.(index) ?? 0;
    if (this.colors !== undefined) {
      const color = extras.color?.(index) ?? 0;
      this.colors[count * 3] = (color >> 16) & 255;
      this.colors[count * 3 + 1] = (color >> 8) & 255;
      this.colors[count * 3 + 2] = color & 255;
    }
    this.count += 1;
  }

  build(): CloudData {
    const { count, origin = [0, 0, 0] } = this;
    const positions = this.positions.slice(0, count * 3);
    const intensities = this.intensities?.slice(0, count);
    const colors = this.colors?.slice(0, count * 3);
    shuffle(count, [
      { values: positions, size: 3 },
      ...(intensities === undefined ? [] : [{ values: intensities, size: 1 }]),
      ...(colors === undefined ? [] : [{ values: colors, size: 3 }]),
    ]);
    const [low, high] = rangeOf(count, (point) => positions[point * 3 + 2] ?? 0);
    const heightRange = [low + origin[2], high + origin[2]] as const;
    const intensityRange = rangeOf(count, (point) => intensities?.[point] ?? 0);
    return { count, origin, positions, intensities, colors, heightRange, intensityRange };
  }
}

interface Values {
  readonly values: Float32Array | Uint8Array;
  /** Values per point. */
  readonly size: number;
}

/** Fisher and Yates's shuffle, applied to all lists alike. */
function shuffle(count: number, lists: readonly Values[]): void {
  let state = SEED;
  for (let point = count - 1; point > 0; point -= 1) {
    // Marsaglia's xorshift: fast, and random enough for sampling
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const other = (state >>> 0) % (point + 1);
    for (const { values, size } of lists) {
      for (let i = 0; i < size; i += 1) {
        const kept = values[point * size + i] ?? 0;
        values[point * size + i] = values[other * size + i] ?? 0;
        values[other * size + i] = kept;
      }
    }
  }
}

/** The range of a value without outliers, measured on a sample. */
function rangeOf(count: number, value: (point: number) => number): [low: number, high: number] {
  const sample = Float64Array.from({ length: Math.min(count, SAMPLES) }, (_, point) => value(point)).sort();
  const last = sample.length - 1;
  const low = sample[Math.round(last * OUTLIERS)] ?? 0;
  const high = sample[Math.round(last * (1 - OUTLIERS))] ?? 1;
  return [low, high > low ? high : low + 1];
}
