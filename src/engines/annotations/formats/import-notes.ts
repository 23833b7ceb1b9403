import type { LabeledData } from '../../../shared/annotations/model.js';
import type { DatasetFrame, DatasetLabel } from './dataset.js';

/** Something in a file that the target does not have. */
export interface Skipped {
  readonly kind: 'frame' | 'label' | 'attribute';
  /** What the file calls it. */
  readonly name: string;
  /** How often it occurs. */
  readonly count: number;
  /** Where it occurs first; null if only the name is known. */
  readonly location: string | null;
}

/** Entries of a report; what does not fit is only counted. */
const MAX_ENTRIES = 100;

/** Stands for frames and labels that do not exist. Annotations with it are left out. */
export const MISSING = -1;

const NO_FRAME: DatasetFrame = { frame: MISSING, number: MISSING, name: '', width: 0, height: 0 };

/** What an import leaves out, and what it contains. */
export class ImportNotes {
  /** How many entries did not fit into the list. */
  unlisted = 0;
  private readonly entries = new Map<string, { readonly entry: Omit<Skipped, 'count'>; count: number }>();
  private readonly frames = new Set<string>();
  private readonly counts = { tags: 0, shapes: 0, tracks: 0 };
  private readonly labels = new Map<number, number>();

  /** @param isLenient whether annotations of unknown frames and labels are left out; otherwise the import fails */
  constructor(readonly isLenient: boolean) {}

  skip(kind: Skipped['kind'], name: string, location: string | null): void {
    const key = `${kind} ${name}`;
    const known = this.entries.get(key);
    if (known !== undefined) known.count++;
    else if (this.entries.size < MAX_ENTRIES) this.entries.set(key, { entry: { kind, name, location }, count: 1 });
    else this.unlisted++;
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
