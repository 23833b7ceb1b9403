import { AnnotationInvalid } from '../field-errors.js';
import { checkFrames, onFramesOfTask } from '../frames.js';
import type {
  AttributeValue,
  Interval,
  LabeledData,
  Shape,
  ShapeElement,
  Tag,
  Track,
  TrackElement,
} from '../../../shared/annotations/model.js';
import { emptyData } from '../../../shared/annotations/model.js';
import { parseLabeledData } from '../parse.js';
import type { DatasetLabel } from './dataset.js';
import { type FileLocation, refuse } from './format.js';
import { readJsonObjects } from './json-lists.js';
import { listOf, objectOf } from './json-values.js';
import { attributeOf, type LabelNames } from './label-names.js';

/**
 * The annotations of a backup: an array with one object of lists per job. Labels and attributes are given by name, and
 * no object has an id.
 */

/** The types of objects, in the order in which they are written. */
const LISTS = ['tags', 'shapes', 'tracks', 'intervals'] as const;
type List = (typeof LISTS)[number];

/** Limit of one batch of a restore: the number of objects, or of their coordinates. */
const MAX_WEIGHT = 20_000;
const OBJECT_WEIGHT = 10;

/** The annotations of one job in bounded batches, each of one type, in the order of {@link LISTS}. */
export type JobBatches = AsyncIterable<Partial<LabeledData>>;

/**
 * Writes the text of `annotations.json`, without annotations on frames that do not exist: a restore would refuse them.
 * @param size the number of frames of the task
 */
export async function* backupText(
  jobs: Iterable<JobBatches>,
  labels: LabelNames,
  size: number,
): AsyncGenerator<string> {
  yield '[';
  let isFirst = true;
  for (const batches of jobs) {
    yield `${isFirst ? '' : ','}{"version":0`;
    isFirst = false;
    yield* jobText(batches, new Portable(labels), size);
    yield '}';
  }
  yield ']';
}

async function* jobText(batches: JobBatches, portable: Portable, size: number): AsyncGenerator<string> {
  let open = -1;
  let comma = '';
  for await (const batch of batches) {
    const known = onFramesOfTask(batch, size);
    for (const [at, list] of LISTS.entries()) {
      const texts = portable.texts(list, known);
      if (texts.length === 0) continue;
      if (at < open) throw new Error(`${list} come too late`);
      for (; open < at; open++, comma = '') yield `${open < 0 ? '' : ']'},"${LISTS[open + 1]}":[`;
      yield comma + texts.join(',');
      comma = ',';
    }
  }
  // The first three lists are always written; the last one only if it is not empty.
  for (; open < LISTS.indexOf('tracks'); open++) yield `${open < 0 ? '' : ']'},"${LISTS[open + 1]}":[`;
  yield ']';
}

/** Writes annotations without ids. The label comes last. */
class Portable {
  constructor(private readonly labels: LabelNames) {}

  texts(list: List, data: Partial<LabeledData>): string[] {
    if (list === 'tags') return (data.tags ?? []).map((tag) => JSON.stringify(this.tag(tag)));
    if (list === 'shapes') return (data.shapes ?? []).map((shape) => JSON.stringify(this.shape(shape)));
    if (list === 'tracks') return (data.tracks ?? []).map((track) => JSON.stringify(this.track(track)));
    return (data.intervals ?? []).map((interval) => JSON.stringify(this.interval(interval)));
  }

  private tag({ frame, group, source, attributes, label_id: label }: Tag): object {
    return { frame, group, source, attributes: this.values(attributes), label: this.name(label) };
  }

  private interval({ start, stop, group, source, score, attributes, label_id: label }: Interval): object {
    return { start, stop, group, source, score, attributes: this.values(attributes), label: this.name(label) };
  }

  private shape(shape: Shape): object {
    const elements = shape.elements.map((element) => this.named(this.element(element), element));
    return this.named(Object.assign(this.element(shape), { elements }), shape);
  }

  private element(shape: ShapeElement): object {
    const { type, occluded, outside, z_order, rotation, points, frame, group, source, score } = shape;
    const attributes = this.values(shape.attributes);
    const portable = { type, occluded, outside, z_order, rotation, points, frame, group, source, attributes };
    return score === 1 ? portable : Object.assign(portable, { score });
  }

  private track(track: Track): object {
    const elements = track.elements.map((element) => this.named(this.trackElement(element), element));
    return this.named(Object.assign(this.trackElement(track), { elements }), track);
  }

  private trackElement({ frame, group, source, attributes, shapes }: TrackElement): object {
    const keyframes = shapes.map((shape) => {
      const { type, occluded, outside, z_order, rotation, points } = shape;
      const values = this.values(shape.attributes);
      return { type, occluded, outside, z_order, rotation, points, frame: shape.frame, attributes: values };
    });
    return { frame, group, source, attributes: this.values(attributes), shapes: keyframes };
  }

  private named(portable: object, { label_id: label }: { readonly label_id: number }): object {
    return Object.assign(portable, { label: this.name(label) });
  }

  private name(labelId: number): string {
    return this.labels.get(labelId).name;
  }

  /** Skips values whose attribute no longer exists. */
  private values(attributes: readonly AttributeValue[]): object[] {
    return attributes.flatMap(({ spec_id: id, value }) => {
      const name = this.labels.attribute(id)?.name;
      return name === undefined ? [] : [{ name, value }];
    });
  }
}

/**
 * Reads `annotations.json` job by job. Read each job to its end before the next.
 * @throws FormatError with the position in the file
 */
export class BackupAnnotations {
  private readonly elements: ReturnType<typeof readJsonObjects>;
  private next: Awaited<ReturnType<ReturnType<typeof readJsonObjects>['next']>> | undefined;

  /** @param size the number of frames of the task */
  constructor(
    bytes: AsyncIterable<Uint8Array>,
    private readonly file: string,
    private readonly labels: LabelNames,
    private readonly size: number,
  ) {
    this.elements = readJsonObjects(bytes, file, LISTS);
  }

  /** The annotations of the job with this index; none if the file has fewer jobs. */
  async *job(index: number): AsyncGenerator<LabeledData> {
    let [data, weight] = [emptyData(), 0];
    for (;;) {
      this.next ??= await this.elements.next();
      if (this.next.done === true || this.next.value.index > index) break;
      const { element } = this.next.value;
      this.next = undefined;
      if (element === undefined) continue;
      const { value, location } = element;
      weight += this.add(data, element.list as List, this.withIds(value, location, null), location);
      if (weight < MAX_WEIGHT) continue;
      yield data;
      [data, weight] = [emptyData(), 0];
    }
    if (weight > 0) yield data;
  }

  /** @throws FormatError if the file has annotations of more jobs */
  async end(jobs: number): Promise<void> {
    this.next ??= await this.elements.next();
    if (this.next.done !== true) refuse(this.file, `there are annotations of more than ${jobs} jobs`);
  }

  /** Closes the file, even if it has not been read to its end. */
  async close(): Promise<void> {
    await this.elements.return(undefined);
  }

  /** @returns the weight of what was added */
  private add(data: LabeledData, list: List, value: object, location: FileLocation): number {
    try {
      const parsed = parseLabeledData({ [list]: [value] }, { action: 'create' });
      checkFrames(parsed, this.size);
      for (const key of LISTS) (data[key] as unknown[]).push(...parsed[key]);
      const [shape] = parsed.shapes;
      const [track] = parsed.tracks;
      const points = shape?.points.length ?? (track?.shapes.length ?? 0) * OBJECT_WEIGHT;
      return OBJECT_WEIGHT + points;
    } catch (error) {
      if (!(error instanceof AnnotationInvalid)) throw error;
      const [fault] = (error.errors as Record<string, unknown[]>)[list] ?? [];
      return refuse(location, JSON.stringify(fault ?? error.errors).slice(0, 300), error);
    }
  }

  private withIds(value: unknown, location: FileLocation, skeleton: DatasetLabel | null): Record<string, unknown> {
    const { label: name, attributes, elements, shapes, ...rest } = objectOf(value, location);
    if (typeof name !== 'string') refuse(location, 'label is not a string');
    const label =
      skeleton === null ? this.labels.named(name, location) : this.labels.elementNamed(skeleton, name, location);
    const found: Record<string, unknown> = {
      ...rest,
      id: null,
      label_id: label.id,
      attributes: valuesOf(attributes, label, location),
    };
    if (elements !== undefined) {
      found['elements'] = listOf(elements, 'elements', location).map((element) =>
        this.withIds(element, location, label),
      );
    }
    if (shapes !== undefined) {
      found['shapes'] = listOf(shapes, 'shapes', location).map((shape) => {
        const { attributes: mutable, ...keyframe } = objectOf(shape, location);
        return { ...keyframe, id: null, attributes: valuesOf(mutable, label, location) };
      });
    }
    return found;
  }
}

/** Skips attributes that the label does not have, as every import does. */
function valuesOf(attributes: unknown, label: DatasetLabel, location: FileLocation): object[] {
  if (attributes === undefined) return [];
  return listOf(attributes, 'attributes', location).flatMap((attribute) => {
    const { name, value } = objectOf(attribute, location);
    const spec = typeof name === 'string' ? attributeOf(label, name) : undefined;
    return spec === undefined ? [] : [{ spec_id: spec.id, value }];
  });
}
