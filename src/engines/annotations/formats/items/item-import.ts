import { type Bitmap, maskPoints } from '../../../../shared/annotations/mask.js';
import { maskOutlines } from '../../../../shared/annotations/mask-outlines.js';
import type { AttributeValue, LabeledData, Shape, ShapeType } from '../../../../shared/annotations/model.js';
import type { DatasetFrame, DatasetLabel } from '../dataset.js';
import { type FileLocation, type ImportTarget, refuse, shown } from '../format.js';
import { MISSING } from '../import-notes.js';
import { FrameMatcher, ImportBatch } from '../import-batch.js';
import { attributeValues, BUILT_IN, LabelNames } from '../label-names.js';
import { ItemTracks } from './item-tracks.js';

/** An annotation as read from a file. */
export interface FoundAnnotation {
  /** `pixels` become a mask or, if the import asks for it, polygons. */
  readonly type: ShapeType | 'tag' | 'pixels';
  readonly label: DatasetLabel;
  readonly points?: readonly number[];
  /** Only for `pixels`. */
  readonly bitmap?: Bitmap;
  /** Names and values; `occluded`, `rotation`, `track_id` and the like set the fields of the annotation. */
  readonly attributes?: Iterable<readonly [name: string, value: string]>;
  /** Annotations of a frame with the same number belong together; 0 and absent mean none. */
  readonly group?: number;
  readonly zOrder?: number;
  readonly occluded?: boolean;
  readonly rotation?: number;
  readonly elements?: readonly FoundElement[];
  /** Number of the track that the shape belongs to. */
  readonly track?: number;
  readonly keyframe?: boolean;
  /** For messages. */
  readonly location: FileLocation;
}

/** An element of a skeleton. */
export interface FoundElement {
  readonly label: DatasetLabel;
  readonly points: readonly number[];
  readonly occluded: boolean;
  readonly outside: boolean;
  readonly attributes?: Iterable<readonly [name: string, value: string]>;
}

export interface ItemImportOptions {
  /**
   * Which shapes with a track number belong to tracks: those that also say whether they are keyframes, all of them
   * (each is a keyframe then), or none.
   */
  readonly tracks?: 'keyframes' | 'all' | 'none';
  /** The source of tracks. */
  readonly trackSource?: string;
}

/**
 * Turns what a reader finds into annotations of the target: matches frames and labels, converts attributes and masks,
 * numbers groups, and joins shapes to tracks.
 */
export class ItemImport {
  readonly labels: LabelNames;
  readonly frames: FrameMatcher;
  private readonly batch = new ImportBatch();
  private readonly tracks: ItemTracks;
  /** How many groups a frame has so far: a reader may add its annotations in several parts. */
  private readonly groupsOn = new Map<number, number>();

  constructor(
    private readonly target: ImportTarget,
    private readonly options: ItemImportOptions = {},
  ) {
    this.labels = new LabelNames(target.labels, target.notes);
    this.frames = new FrameMatcher(target);
    this.tracks = new ItemTracks(this.labels, target.frames.at(-1)?.frame ?? -1, options.trackSource ?? 'file');
  }

  /**
   * Adds annotations of a frame. Those of a group must be added together.
   * @yields full batches
   * @throws FormatError
   */
  *add({ frame }: DatasetFrame, annotations: readonly FoundAnnotation[]): Generator<LabeledData> {
    if (frame === MISSING) return;
    const groups = new FrameGroups();
    const known = annotations.filter(({ label }) => label.id !== MISSING);
    const parts = known.flatMap((annotation) => this.expanded(annotation, groups));
    const taken = this.groupsOn.get(frame) ?? 0;
    const numbers = groups.numbers(taken);
    if (numbers.size > 0) this.groupsOn.set(frame, taken + numbers.size);
    for (const { annotation, type, points, group } of parts) {
      const { label, location } = annotation;
      const fields = new AnnotationFields(annotation);
      const own = numbers.get(group) ?? 0;
      const { source = 'file', values: attributes } = fields;
      if (type === 'tag') {
        this.batch.addTag({ id: null, label_id: label.id, frame, group: own, source, attributes }, location);
      } else {
        // Spelled out, because spreading defaults takes more than half of the time of an import.
        const shape: Shape = {
          id: null,
          label_id: label.id,
          frame,
          group: own,
          source,
          type,
          points: [...points],
          occluded: fields.occluded,
          outside: false,
          rotation: fields.rotation,
          z_order: annotation.zOrder ?? 0,
          attributes,
          elements: [],
          score: 1,
        };
        for (const element of annotation.elements ?? []) shape.elements.push(elementShape(element, shape, location));
        const isTracked = this.isTracked(fields);
        if (isTracked) this.tracks.add(fields.track ?? 0, { shape, isKeyframe: fields.keyframe ?? true, location });
        else this.batch.addShape(shape, location);
      }
      if (this.batch.isFull) yield this.batch.take();
    }
  }

  /** Builds the tracks. @yields the rest. @throws FormatError */
  *finish(): Generator<LabeledData> {
    for (const { track, location } of this.tracks.take()) {
      this.batch.addTrack(track, location);
      if (this.batch.isFull) yield this.batch.take();
    }
    if (!this.batch.isEmpty) yield this.batch.take();
  }

  private isTracked({ track, keyframe }: AnnotationFields): boolean {
    const { tracks = 'none' } = this.options;
    return track !== undefined && (tracks === 'all' || (tracks === 'keyframes' && keyframe !== undefined));
  }

  /** One annotation, or the polygons of a mask, which belong together. */
  private expanded(annotation: FoundAnnotation, groups: FrameGroups): Part[] {
    const { type, bitmap, group = 0, location } = annotation;
    if (type !== 'pixels' || bitmap === undefined) {
      const own = groups.join(group);
      return [{ annotation, type: type === 'pixels' ? 'mask' : type, points: annotation.points ?? [], group: own }];
    }
    if (this.target.masksToPolygons !== true) {
      return [{ annotation, type: 'mask', points: maskPoints(bitmap), group: groups.join(group) }];
    }
    const outlines = maskOutlines(bitmap) ?? refuse(location, 'the outline of the mask is too long for polygons');
    const together = group === 0 && outlines.length > 1 ? groups.free() : group;
    return outlines.map((points) => ({ annotation, type: 'polygon', points, group: groups.join(together) }));
  }
}

interface Part {
  readonly annotation: FoundAnnotation;
  readonly type: ShapeType | 'tag';
  readonly points: readonly number[];
  readonly group: number;
}

/** Numbers the groups of a frame from 1, in the order of their numbers in the file; a single member has none. */
class FrameGroups {
  private readonly members = new Map<number, number>();
  /** Groups of polygons that come from one mask are numbered after those of the file. */
  private last = Number.MAX_SAFE_INTEGER - 1_000_000;

  join(group: number): number {
    if (group !== 0) this.members.set(group, (this.members.get(group) ?? 0) + 1);
    return group;
  }

  free(): number {
    return this.last++;
  }

  /** @param taken the number of groups that the frame has already */
  numbers(taken: number): Map<number, number> {
    const shared = [...this.members].filter(([, count]) => count > 1).map(([group]) => group);
    return new Map(shared.toSorted((a, b) => a - b).map((group, at) => [group, taken + at + 1]));
  }
}

const SOURCES = new Set(['manual', 'semi-auto', 'auto', 'file']);

/** The fields of an annotation that files store as attributes, and the values of its other attributes. */
class AnnotationFields {
  readonly values: AttributeValue[];
  occluded: boolean;
  rotation: number;
  track: number | undefined;
  keyframe: boolean | undefined;
  source: string | undefined;

  constructor(found: FoundAnnotation) {
    this.occluded = found.occluded ?? false;
    this.rotation = found.rotation ?? 0;
    this.track = found.track;
    this.keyframe = found.keyframe;
    const own = [...(found.attributes ?? [])];
    for (const [name, value] of own) if (BUILT_IN.has(name)) this.read(name, value, found.location);
    this.values = itemAttributes(found.label, own, found.location);
  }

  private read(name: string, value: string, location: FileLocation): void {
    if (name === 'occluded') this.occluded = isTrue(value);
    else if (name === 'keyframe') this.keyframe = isTrue(value);
    else if (name === 'source' && SOURCES.has(value)) this.source = value;
    else if (name === 'rotation') this.rotation = numberOf(name, value, location);
    else if (name === 'track_id') this.track = numberOf(name, value, location);
  }
}

const isTrue = (value: string): boolean => value === '1' || value.toLowerCase() === 'true';

function numberOf(name: string, value: string, location: FileLocation): number {
  const number = value.trim() === '' ? NaN : Number(value);
  return Number.isFinite(number) ? number : refuse(location, `${name} ${shown(value)} is not a number`);
}

function valueOf(name: string, value: string, type: string | undefined, location: FileLocation): string {
  if (type === 'number') return value.replace(/^(-?\d+)\.0$/, '$1');
  if (type !== 'checkbox') return value;
  if (/^(?:true|false)$/i.test(value)) return value.toLowerCase();
  return refuse(location, `Failed to convert attribute ${shown(name)}=${shown(value)}: it is neither true nor false`);
}

/**
 * The values of the label's attributes: those of checkboxes in lower case, whole numbers without the `.0` that files
 * have.
 * @throws FormatError if the value of a checkbox is neither true nor false
 */
export function itemAttributes(
  label: DatasetLabel,
  values: Iterable<readonly [name: string, value: string]>,
  location: FileLocation,
): AttributeValue[] {
  const own: [string, string][] = [];
  for (const [name, value] of values) {
    if (BUILT_IN.has(name)) continue;
    const type = label.attributes.find((each) => each.name === name)?.inputType;
    own.push([name, valueOf(name, value, type, location)]);
  }
  return attributeValues(label, own, location);
}

function elementShape(
  { label, points, occluded, outside, attributes = [] }: FoundElement,
  skeleton: Shape,
  location: FileLocation,
): Shape['elements'][number] {
  return {
    id: null,
    label_id: label.id,
    frame: skeleton.frame,
    group: 0,
    source: skeleton.source,
    type: 'points',
    points: [...points],
    occluded,
    outside,
    z_order: skeleton.z_order,
    rotation: 0,
    score: 1,
    attributes: itemAttributes(label, attributes, location),
  };
}
