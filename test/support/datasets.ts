import { Buffer } from 'node:buffer';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Dataset, DatasetLabel, DatasetTask } from '../../src/engines/annotations/formats/dataset.js';
import type {
  AnnotationSource,
  DatasetFiles,
  ExportFormat,
  ExportOptions,
  FileContent,
  FileSink,
  ImportFormat,
  ImportTarget,
} from '../../src/engines/annotations/formats/format.js';
import {
  emptyData,
  type LabeledData,
  type Shape,
  type ShapeType,
  type Track,
} from '../../src/shared/annotations/model.js';

/** Files in memory, which an export writes and an import reads. */
export class MemoryFiles implements FileSink, DatasetFiles {
  readonly files = new Map<string, Buffer>();

  static of(files: Readonly<Record<string, string | Uint8Array>>): MemoryFiles {
    const memory = new MemoryFiles();
    for (const [path, content] of Object.entries(files)) memory.files.set(path, Buffer.from(content));
    return memory;
  }

  get paths(): string[] {
    return [...this.files.keys()];
  }

  async addFile(path: string, content: FileContent): Promise<void> {
    const pieces: Buffer[] = [];
    if (content instanceof Uint8Array) pieces.push(Buffer.from(content));
    else for await (const piece of content) pieces.push(Buffer.from(piece));
    this.files.set(path, Buffer.concat(pieces));
  }

  text(path: string): string {
    return (this.files.get(path) ?? Buffer.from('')).toString();
  }

  /** Reads in small pieces, so that everything is split somewhere. */
  async *read(path: string): AsyncGenerator<Buffer> {
    const content = this.files.get(path) ?? Buffer.from('');
    for (let at = 0; at < content.length; at += 100) yield content.subarray(at, at + 100);
  }
}

const car: DatasetLabel = {
  id: 1,
  name: 'car',
  color: '#2080c0',
  type: 'any',
  parentId: null,
  svg: '',
  attributes: [
    { id: 11, name: 'model', mutable: false, inputType: 'text', defaultValue: 'mazda', values: [] },
    { id: 12, name: 'parked', mutable: true, inputType: 'checkbox', defaultValue: 'false', values: ['false'] },
  ],
};

const plain = { color: '#c06060', type: 'any', parentId: null, svg: '', attributes: [] };

/** A car with attributes, a person, and a skeleton with two joints. */
export const testLabels: readonly DatasetLabel[] = [
  car,
  { ...plain, id: 2, name: 'person & "friend"' },
  { ...plain, id: 3, name: 'body', type: 'skeleton', svg: '<circle r="1"\n data-label-id="4"/>' },
  { ...plain, id: 4, name: 'head', type: 'points', parentId: 3 },
  { ...plain, id: 5, name: 'hand', type: 'points', parentId: 3 },
];

const user = { username: 'anna', email: 'anna@example.com' };
const moment = new Date('2026-11-21T08:33:37.892Z');

/** A task with six images, one of them in a folder. */
export const testTask: DatasetTask = {
  id: 7,
  name: 'cars & <people>',
  bugTracker: '',
  created: moment,
  updated: moment,
  owner: user,
  assignee: null,
  size: 6,
  mode: 'annotation',
  overlap: 0,
  subset: '',
  startFrame: 0,
  stopFrame: 5,
  frameFilter: '',
  segments: [{ id: 3, start: 0, stop: 5, url: 'http://localhost/api/jobs/3' }],
  video: null,
  frames: ['a.jpg', 'b.jpg', 'sub/c.jpg', 'd 1.png', 'e.v2.jpg', 'f.jpg'].map((name, frame) => ({
    frame,
    number: frame,
    name,
    width: 64,
    height: 48,
  })),
};

export const datasetOf = (task: DatasetTask, kind: Dataset['kind'] = 'task'): Dataset => ({
  ...task,
  kind,
  labels: testLabels,
  tasks: [task],
  dumped: moment,
});

/** Annotations of one task. Every sequence returns copies in batches of two, because codecs modify them in place. */
export function sourceOf(data: Partial<LabeledData>): AnnotationSource {
  async function* pieces<T>(items: readonly T[] = []): AsyncGenerator<T[]> {
    for (let at = 0; at < items.length; at += 2) yield structuredClone(items.slice(at, at + 2));
  }
  return { tags: () => pieces(data.tags), shapes: () => pieces(data.shapes), tracks: () => pieces(data.tracks) };
}

/** The options of an export. */
export const exportOptions = (withImages = false): ExportOptions => ({
  withImages,
  scratch: join(tmpdir(), `cairn-test-${process.pid}-spool`),
});

export async function exported(
  format: ExportFormat,
  data: Partial<LabeledData>,
  dataset = datasetOf(testTask),
): Promise<MemoryFiles> {
  const files = new MemoryFiles();
  await format.write(dataset, sourceOf(data), files, exportOptions());
  return files;
}

export const testTarget: ImportTarget = { labels: testLabels, frames: testTask.frames, mode: 'annotation' };

export async function imported(
  format: ImportFormat,
  files: DatasetFiles,
  target: ImportTarget = testTarget,
): Promise<LabeledData> {
  const data = emptyData();
  for await (const piece of format.read(files, target)) {
    data.tags.push(...piece.tags);
    data.shapes.push(...piece.shapes);
    data.tracks.push(...piece.tracks);
  }
  return data;
}

export const shapeOf = (type: ShapeType, points: number[], more: Partial<Shape> = {}): Shape => ({
  id: null,
  label_id: 2,
  type,
  frame: 0,
  group: 0,
  source: 'manual',
  occluded: false,
  outside: false,
  z_order: 0,
  rotation: 0,
  points,
  attributes: [],
  elements: [],
  score: 1,
  ...more,
});

/** A track from keyframes with their frame, points and differing properties. */
export const trackOf = (keyframes: readonly Partial<Track['shapes'][number]>[], more: Partial<Track> = {}): Track => ({
  id: null,
  label_id: 2,
  frame: keyframes[0]?.frame ?? 0,
  group: 0,
  source: 'manual',
  attributes: [],
  elements: [],
  shapes: keyframes.map((keyframe) => ({
    id: null,
    type: 'rectangle',
    frame: 0,
    occluded: false,
    outside: false,
    z_order: 0,
    rotation: 0,
    points: [0, 0, 10, 10],
    attributes: [],
    ...keyframe,
  })),
  ...more,
});

/** Two decimals, as in files. */
const coordinate = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: max * 100 }).map((n) => n / 100);

const point = fc.tuple(coordinate(64), coordinate(48));

const outline = (minLength: number): fc.Arbitrary<number[]> =>
  fc.array(point, { minLength, maxLength: 9 }).map((points) => points.flat());

/** Points of a mask within an image of 64 x 48. */
export const maskPoints = fc
  .record({
    left: fc.nat(60),
    top: fc.nat(44),
    width: fc.integer({ min: 1, max: 4 }),
    height: fc.integer({ min: 1, max: 4 }),
  })
  .chain(({ left, top, width, height }) =>
    fc
      .array(fc.boolean(), { minLength: width * height, maxLength: width * height })
      .map((pixels) => [...runsOf(pixels), left, top, left + width - 1, top + height - 1]),
  );

/** Points of a mask with at least one pixel. */
export const pixelMaskPoints = maskPoints.filter((points) => points.slice(0, -4).some((run, at) => at % 2 === 1 && run > 0)); // prettier-ignore

export function runsOf(pixels: readonly boolean[]): number[] {
  const runs = [0];
  let foreground = false;
  for (const pixel of pixels) {
    if (pixel !== foreground) runs.push(0);
    foreground = pixel;
    runs.push((runs.pop() ?? 0) + 1);
  }
  return runs;
}

/** Corners of a rectangle with positive width and height. */
const corners = fc
  .tuple(
    fc.integer({ min: 0, max: 3000 }),
    fc.integer({ min: 0, max: 2000 }),
    fc.integer({ min: 100, max: 3400 }),
    fc.integer({ min: 100, max: 2800 }),
  )
  .map(([x, y, w, h]) => [x / 100, y / 100, (x + w) / 100, (y + h) / 100]);

/** Points by shape type, with two decimals, within an image of 64 x 48. */
export const pointsOf: Readonly<Record<Exclude<ShapeType, 'skeleton'>, fc.Arbitrary<number[]>>> = {
  rectangle: corners,
  ellipse: corners.map(([x = 0, y = 0, r = 0, b = 0]) => [x, b, r, y]),
  polygon: outline(3),
  polyline: outline(2),
  points: outline(1),
  cuboid: fc.array(point, { minLength: 8, maxLength: 8 }).map((points) => points.flat()),
  mask: maskPoints,
};

/** A label without attributes. */
export const plainLabel = (id: number, name: string): DatasetLabel => ({ ...plain, id, name });

/** A mask can be written in many ways, so only its pixels are compared. */
export function pixelsOf(points: readonly number[]): Set<string> {
  const [left = 0, top = 0, right = 0] = points.slice(-4);
  const pixels = new Set<string>();
  let at = 0;
  points.slice(0, -4).forEach((run, i) => {
    for (let k = 0; k < run; k++, at++) {
      const width = right - left + 1;
      if (i % 2 === 1) pixels.add(`${left + (at % width)},${top + Math.floor(at / width)}`);
    }
  });
  return pixels;
}
