import type { LabeledData, Shape, ShapeType } from '../../../../shared/annotations/model.js';
import type { DatasetFrame } from '../dataset.js';
import { type FileLocation, type ImportTarget, refuse } from '../format.js';
import { MISSING } from '../import-notes.js';
import { FrameMatcher, ImportBatch } from '../import-batch.js';
import { LabelNames } from '../label-names.js';
import { outlinesOf } from './conversions.js';
import { DrawingBudget } from './drawing-budget.js';
import { AnnotationFields, type FoundAnnotation, type FoundElement, itemAttributes } from './found-annotation.js';
import { FrameGroups } from './frame-groups.js';
import { ItemTracks } from './item-tracks.js';
import { maskPointsOf } from '../../run-bitmap.js';

export interface ItemImportOptions {
  /**
   * Which shapes with a track number belong to tracks: those that also say whether they are keyframes, all of them
   * (each is a keyframe then), or none.
   */
  readonly tracks?: 'keyframes' | 'all' | 'none';
  /** The source of tracks. */
  readonly trackSource?: string;
  /** Attributes that the format gives to every object. A label without them loses nothing, so they are not noted. */
  readonly implied?: readonly string[];
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
  private readonly implied: ReadonlySet<string>;
  /** How many groups a frame has so far: a reader may add its annotations in several parts. */
  private readonly groupsOn = new Map<number, number>();
  private readonly budgets = new Map<number, DrawingBudget>();

  constructor(
    private readonly target: ImportTarget,
    private readonly options: ItemImportOptions = {},
  ) {
    this.labels = new LabelNames(target.labels, target.notes);
    this.frames = new FrameMatcher(target);
    this.implied = new Set(options.implied);
    this.tracks = new ItemTracks(this.labels, target.frames.at(-1)?.frame ?? -1, options.trackSource ?? 'file');
  }

  /**
   * Adds annotations of a frame. Those of a group must be added together.
   * @yields full batches
   * @throws FormatError
   */
  *add(target: DatasetFrame, annotations: readonly FoundAnnotation[]): Generator<LabeledData> {
    const { frame } = target;
    if (frame === MISSING) return;
    const groups = new FrameGroups();
    const budget = this.budgets.get(frame) ?? new DrawingBudget(target);
    this.budgets.set(frame, budget);
    const known = annotations.filter(({ label }) => label.id !== MISSING);
    const parts = known.flatMap((annotation) => this.expanded(annotation, groups, budget));
    const taken = this.groupsOn.get(frame) ?? 0;
    const numbers = groups.numbers(taken);
    if (numbers.size > 0) this.groupsOn.set(frame, taken + numbers.size);
    for (const part of parts) {
      this.place(part, frame, numbers.get(part.group) ?? 0);
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

  private place({ annotation, type, points }: Part, frame: number, group: number): void {
    const { label, location } = annotation;
    const fields = new AnnotationFields(annotation, this.implied);
    const { source = 'file', values: attributes } = fields;
    if (type === 'tag') {
      this.batch.addTag({ id: null, label_id: label.id, frame, group, source, attributes }, location);
      return;
    }
    // Spelled out, because spreading defaults takes more than half of the time of an import.
    const shape: Shape = {
      id: null,
      label_id: label.id,
      frame,
      group,
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

  private isTracked({ track, keyframe }: AnnotationFields): boolean {
    const { tracks = 'none' } = this.options;
    return track !== undefined && (tracks === 'all' || (tracks === 'keyframes' && keyframe !== undefined));
  }

  /** One annotation, or the polygons of a mask, which belong together. */
  private expanded(annotation: FoundAnnotation, groups: FrameGroups, budget: DrawingBudget): Part[] {
    const { type, bitmap, group = 0, location } = annotation;
    if (type !== 'pixels' || bitmap === undefined) {
      const own = groups.join(group);
      return [{ annotation, type: type === 'pixels' ? 'mask' : type, points: annotation.points ?? [], group: own }];
    }
    if (this.target.masksToPolygons !== true) {
      return [{ annotation, type: 'mask', points: maskPointsOf(bitmap), group: groups.join(group) }];
    }
    const outlines = outlinesOf(bitmap, budget) ?? refuse(location, 'the outline of the mask is too long for polygons');
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
