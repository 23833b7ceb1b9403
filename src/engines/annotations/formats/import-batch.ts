import { posix } from 'node:path';
import {
  emptyData,
  isCoordinate,
  type LabeledData,
  pointsFault,
  type Shape,
  type ShapeElement,
  type Tag,
  type Track,
  type TrackedShape,
} from '../../../shared/annotations/model.js';
import { orderCorners } from '../corners.js';
import { type FileLocation, refuse, FormatError, shown, type ImportTarget } from './format.js';
import type { DatasetFrame } from './dataset.js';
import { type ImportNotes, MISSING } from './import-notes.js';

/** Several frames share a name. */
const AMBIGUOUS = Symbol('ambiguous');

type Names = Map<string, DatasetFrame | typeof AMBIGUOUS>;

/** The frames by parts of their names. */
class FrameNames {
  readonly byPath: Names = new Map();
  readonly byStem: Names = new Map();
  private readonly byFile: Names = new Map();
  private readonly byFileStem: Names = new Map();

  constructor(frames: readonly DatasetFrame[], form: (name: string) => string = (name) => name) {
    for (const frame of frames) {
      const path = form(plainPath(frame.name));
      const file = posix.basename(path);
      remember(this.byPath, path, frame);
      remember(this.byStem, withoutExtension(path), frame);
      remember(this.byFile, file, frame);
      remember(this.byFileStem, withoutExtension(file), frame);
    }
  }

  /** Tries the strictest match first. What looks like an extension may be part of a name without one. */
  match(path: string): DatasetFrame | undefined {
    const file = posix.basename(path);
    return (
      lookUp(this.byPath, path) ??
      lookUp(this.byStem, path) ??
      lookUp(this.byStem, withoutExtension(path)) ??
      lookUp(this.byFile, file) ??
      lookUp(this.byFileStem, file) ??
      lookUp(this.byFileStem, withoutExtension(file))
    );
  }
}

const BEYOND_ASCII = /[^\u0020-\u007e]/;

/** Characters such as é may be one or, as macOS writes them in names of files, two. */
const composed = (name: string): string => name.normalize('NFC');

/**
 * Finds the frames that a file refers to: by path, by path without extension, or by file name if only one frame has it.
 * Frames of videos have no names; they are found by number.
 */
export class FrameMatcher {
  private readonly names: FrameNames;
  /** Only for names beyond ASCII that no frame has. */
  private composedNames: FrameNames | undefined;
  private readonly numbers: ReadonlyMap<number, DatasetFrame>;
  private readonly frames: readonly DatasetFrame[];
  private readonly isVideo: boolean;
  private readonly notes: ImportNotes | undefined;

  constructor(target: Pick<ImportTarget, 'frames' | 'mode' | 'notes'>) {
    this.notes = target.notes;
    this.isVideo = target.mode === 'interpolation';
    this.frames = target.frames;
    this.names = new FrameNames(target.frames);
    this.numbers = new Map(target.frames.map((frame) => [frame.number, frame]));
  }

  /**
   * @param location where the file names the frame
   * @param number the frame number given in the file, if any
   * @throws FormatError with a message that clients know
   */
  named(name: string, location: FileLocation, number?: number): DatasetFrame {
    const path = plainPath(name);
    const named = this.find(path);
    if (named !== undefined) return named;
    const found = this.isVideo ? this.numbers.get(number ?? numberIn(path)) : undefined;
    return found ?? this.unmatched(withoutExtension(path), location);
  }

  /** @returns the frame with this path, if it is the only one */
  namedExactly(name: string): DatasetFrame | undefined {
    return lookUp(this.names.byPath, plainPath(name));
  }

  /**
   * As {@link named}, for names that may have folders in front which the task does not have.
   * @param names in the order in which they are tried
   */
  namedAny(names: readonly [string, ...string[]], location: FileLocation): DatasetFrame {
    for (const name of names) {
      const path = plainPath(name);
      const { byPath, byStem } = this.names;
      const exact = lookUp(byPath, path) ?? lookUp(byStem, path) ?? lookUp(byStem, withoutExtension(path));
      if (exact !== undefined) return exact;
    }
    return this.named(names[0], location);
  }

  /** As {@link named}; the number of the frame in the source applies if no frame has the name. */
  namedOrNumbered(name: string, location: FileLocation, number: number | undefined): DatasetFrame {
    const path = plainPath(name);
    const found = this.find(path) ?? (number === undefined ? undefined : this.numbers.get(number));
    return found ?? this.unmatched(withoutExtension(path), location);
  }

  /** Whether annotations of unknown frames are left out. */
  get isLenient(): boolean {
    return this.notes?.isLenient === true;
  }

  /** @returns a frame that stands for none; @throws FormatError unless unknown frames are left out */
  unmatched(item: string, location: FileLocation): DatasetFrame {
    if (this.notes?.isLenient === true) return this.notes.withoutFrame(item, location);
    const text = `cvat.apps.dataset_manager.bindings.CvatImportError: Could not match item id: ${shown(item)} with any task frame`;
    const [one = '', other] = this.alike(item);
    throw new FormatError(other === undefined ? text : `${text}: it may be ${shown(one)} or ${shown(other)}`);
  }

  /** The names of frames that differ from the item in folders and extensions only. */
  private alike(item: string): string[] {
    const stemOf = (name: string): string => withoutExtension(posix.basename(plainPath(name)));
    const stem = stemOf(item);
    return this.frames.map(({ name }) => name).filter((name) => stemOf(name) === stem);
  }

  /** Files of other tools may have spaces around names. */
  private find(path: string): DatasetFrame | undefined {
    const trimmed = path.trim();
    return this.match(path) ?? (trimmed === path ? undefined : this.match(trimmed));
  }

  private match(path: string): DatasetFrame | undefined {
    const found = this.names.match(path);
    if (found !== undefined || !BEYOND_ASCII.test(path)) return found;
    this.composedNames ??= new FrameNames(this.frames, composed);
    return this.composedNames.match(composed(path));
  }

  /** @returns the frame with this number in the source; undefined if the target does not have it */
  numbered(number: number): DatasetFrame | undefined {
    return this.numbers.get(number);
  }
}

function remember(names: Names, name: string, frame: DatasetFrame): void {
  names.set(name, names.has(name) ? AMBIGUOUS : frame);
}

function lookUp(names: Names, name: string): DatasetFrame | undefined {
  const found = names.get(name);
  return found === AMBIGUOUS ? undefined : found;
}

const plainPath = (path: string): string => posix.normalize(path.replaceAll('\\', '/')).replace(/^\/+/, '');

/** Only extensions of images count: `v1.5` is a name without one. */
export const withoutExtension = (path: string): string => path.replace(/(?<=[^/])\.[a-z][a-z0-9]{1,4}$/i, '');

/** Archives name the frames of videos `frame_000012.png`. */
const numberIn = (path: string): number =>
  Number(/^frame_(\d+)$/.exec(withoutExtension(posix.basename(path)))?.[1] ?? NaN);

/** Limit of one batch: the number of objects, or of their coordinates. */
const MAX_WEIGHT = 20_000;
const OBJECT_WEIGHT = 10;

const MAX_INT = 2 ** 31 - 1;
const MAX_SOURCE = 16;

/** Validates imported annotations, leaves out those of unknown frames and labels, and collects them in batches of bounded size. */
export class ImportBatch {
  private data = emptyData();
  private weight = 0;

  get isFull(): boolean {
    return this.weight >= MAX_WEIGHT;
  }

  get isEmpty(): boolean {
    return this.weight === 0;
  }

  /** Returns the current batch and starts a new one. */
  take(): LabeledData {
    const { data } = this;
    this.data = emptyData();
    this.weight = 0;
    return data;
  }

  addTag(tag: Tag, location: FileLocation): void {
    if (isMissing(tag)) return;
    checkLabeled(tag, location);
    this.data.tags.push(tag);
    this.weight += OBJECT_WEIGHT;
  }

  addShape(shape: Shape, location: FileLocation): void {
    if (isMissing(shape)) return;
    shape.elements = withoutMissing(shape.elements);
    checkLabeled(shape, location);
    checkGeometry(shape, location);
    for (const element of shape.elements) this.checkElement(element, location);
    if (shape.type === 'skeleton' && shape.elements.length === 0) refuse(location, 'a skeleton without elements');
    this.data.shapes.push(shape);
    this.weight += OBJECT_WEIGHT + shape.points.length;
  }

  addTrack(track: Track, location: FileLocation): void {
    if (isMissing(track)) return;
    track.elements = withoutMissing(track.elements);
    checkLabeled(track, location);
    for (const part of [track, ...track.elements]) {
      for (const shape of part.shapes) this.checkKeyframe(shape, location);
    }
    this.data.tracks.push(track);
    this.weight += OBJECT_WEIGHT;
  }

  private checkElement(element: ShapeElement, location: FileLocation): void {
    if (element.type === 'skeleton') refuse(location, 'a skeleton within a skeleton');
    checkLabeled(element, location);
    checkGeometry(element, location);
    this.weight += OBJECT_WEIGHT + element.points.length;
  }

  private checkKeyframe(shape: TrackedShape, location: FileLocation): void {
    checkGeometry(shape, location);
    this.weight += OBJECT_WEIGHT + shape.points.length;
  }
}

const isMissing = ({ label_id: label, frame }: { readonly label_id: number; readonly frame: number }): boolean =>
  label === MISSING || frame === MISSING;

const withoutMissing = <Element extends { readonly label_id: number }>(elements: Element[]): Element[] =>
  elements.some(({ label_id: label }) => label === MISSING)
    ? elements.filter(({ label_id: label }) => label !== MISSING)
    : elements;

function checkLabeled(labeled: { group: number | null; source: string }, location: FileLocation): void {
  const { group, source } = labeled;
  if (group !== null && !(Number.isInteger(group) && group >= 0 && group <= MAX_INT)) {
    refuse(location, `group ${group} is not a whole number from 0 to ${MAX_INT}`);
  }
  if (source.length > MAX_SOURCE) refuse(location, `the source of an annotation is longer than ${MAX_SOURCE}`);
}

/** The only rules for coordinates, in all formats: they are finite numbers, and corners may be swapped. */
function checkGeometry(shape: Omit<TrackedShape, 'id' | 'attributes'>, location: FileLocation): void {
  if (!Number.isInteger(shape.z_order) || Math.abs(shape.z_order) > MAX_INT) {
    refuse(location, `z-order ${shape.z_order} is not a whole number`);
  }
  if (!(shape.rotation >= 0 && shape.rotation <= 360))
    refuse(location, `rotation ${shape.rotation} is not from 0 to 360`);
  const wrong = shape.points.find((value) => !isCoordinate(value));
  if (wrong !== undefined) {
    const fault = Number.isFinite(wrong) ? 'beyond what annotations may have' : 'not a number';
    refuse(location, `a ${shape.type} has a coordinate that is ${fault}`);
  }
  const fault = pointsFault(shape.type, shape.points);
  if (fault !== undefined) refuse(location, fault);
  orderCorners(shape);
}
