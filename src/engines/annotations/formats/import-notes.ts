import type { LabeledData } from '../../../shared/annotations/model.js';
import type { DatasetFrame, DatasetLabel } from './dataset.js';

/** Something in a file that is not imported. */
export interface Skipped {
  /** Frames, labels and attributes that the target does not have, annotations that cannot be imported, and whole files. */
  readonly kind: 'frame' | 'label' | 'attribute' | 'annotation' | 'file';
  /** What the file calls it. */
  readonly name: string;
  /** How often it occurs. */
  readonly count: number;
  /** Where it occurs first; null if only the name is known. */
  readonly location: string | null;
  /** Why; null if the target does not have it. */
  readonly reason: string | null;
}

/** Entries of each kind in a report; what does not fit is only counted. */
const MAX_ENTRIES = 100;

/** Stands for frames and labels that do not exist. Annotations with it are left out. */
export const MISSING = -1;

const NO_FRAME: DatasetFrame = { frame: MISSING, number: MISSING, name: '', width: 0, height: 0 };

/** What an import leaves out, and what it contains. */
export class ImportNotes {
  /** How many entries did not fit into the list. */
  unlisted = 0;
  /** Files by their use. */
  readonly files = { read: 0, irrelevant: 0, ignored: 0 };
  private readonly entries = new Map<string, { readonly entry: Omit<Skipped, 'count'>; count: number }>();
  private readonly listed = new Map<Skipped['kind'], number>();
  private readonly ignored = new Set<string>();
  private readonly passed = new Map<string, Set<string>>();
  private readonly frames = new Set<string>();
  private readonly counts = { tags: 0, shapes: 0, tracks: 0 };
  private readonly labels = new Map<number, number>();

  /** @param isLenient whether annotations of unknown frames and labels are left out; otherwise the import fails */
  constructor(readonly isLenient: boolean) {}

  skip(kind: Skipped['kind'], name: string, location: string | null, reason: string | null = null): void {
    const key = `${kind} ${name} ${reason ?? ''}`;
    const known = this.entries.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const count = this.listed.get(kind) ?? 0;
    if (count === MAX_ENTRIES) this.unlisted++;
    else {
      this.listed.set(kind, count + 1);
      this.entries.set(key, { entry: { kind, name, location, reason }, count: 1 });
    }
  }

  /** Reports a file that is not imported, or only in part. The first reason counts. */
  ignore(path: string, reason: string): void {
    if (this.ignored.has(path)) return;
    this.ignored.add(path);
    this.skip('file', path, null, reason);
  }

  isIgnored(path: string): boolean {
    return this.ignored.has(path);
  }

  /** Remembers that a file, or a part of it, belongs to another subset than the one that is imported. */
  passOver(path: string, subset: string): void {
    const subsets = this.passed.get(path);
    if (subsets === undefined) this.passed.set(path, new Set([subset]));
    else subsets.add(subset);
  }

  /** The subsets of files that were passed over. */
  *passedOver(): Generator<readonly [path: string, subset: string]> {
    for (const [path, subsets] of this.passed) for (const subset of subsets) yield [path, subset];
  }

  /** A frame in place of one that the target does not have. */
  withoutFrame(name: string, location: string): DatasetFrame {
    this.skip('frame', name, location);
    return NO_FRAME;
  }

  /** A label in place of one that the target does not have. */
  withoutLabel(name: string, location: string): DatasetLabel {
    this.skip('label', name, location);
    return { id: MISSING, name, color: '', type: 'any', parentId: null, svg: '', attributes: [] };
  }

  /** Counts what is imported. @param part distinguishes the tasks of a project */
  count({ tags, shapes, tracks }: LabeledData, part = 0): void {
    this.counts.tags += tags.length;
    this.counts.shapes += shapes.length;
    this.counts.tracks += tracks.length;
    for (const { frame, label_id: label } of [tags, shapes, tracks].flat()) {
      this.frames.add(`${part}/${frame}`);
      this.labels.set(label, (this.labels.get(label) ?? 0) + 1);
    }
  }

  /** Whether nothing is imported. */
  get isEmpty(): boolean {
    const { tags, shapes, tracks } = this.counts;
    return tags + shapes + tracks === 0;
  }

  /** Numbers of what is imported; frames are those with annotations, where a track counts for its first one. */
  get imported(): { readonly frames: number; readonly tags: number; readonly shapes: number; readonly tracks: number } {
    return { frames: this.frames.size, ...this.counts };
  }

  /** The number of imported annotations by label id. */
  get byLabel(): ReadonlyMap<number, number> {
    return this.labels;
  }

  get skipped(): Skipped[] {
    return Array.from(this.entries.values(), ({ entry, count }) => ({ ...entry, count }));
  }
}

/** Whether an import is restricted to another subset. @param path of the file that belongs to the subset, or has rows of it */
export function isOtherSubset(
  subset: string,
  path: string,
  target: { readonly subset?: string; readonly notes?: ImportNotes } | undefined,
): boolean {
  if (target?.subset === undefined || target.subset === subset) return false;
  target.notes?.passOver(path, subset);
  return true;
}
