import type { LabeledData } from '../../../shared/annotations/model.js';
import { anchorOf } from '../../../shared/anchor.js';
import { isPointCloud, mediaKind } from '../../../shared/media-kind.js';
import {
  type DatasetFiles,
  DatasetNotFound,
  fitsDimension,
  FormatError,
  type FoundLabel,
  type ImportFormat,
  type ImportTarget,
  mustContain,
  requireDimension,
  shown,
} from './format.js';
import { ArchiveSample } from './archive-sample.js';
import { type FrameRange, onFrames } from './frame-range.js';
import { ImportNotes, type Skipped } from './import-notes.js';
import { relatedPaths } from './unrelated-files.js';

/** Parts of an archive that a message names. */
const MAX_NAMED = 5;

/** The use of a file in an import. */
type FileUse = 'read' | 'irrelevant' | 'ignored';

/** What an import reads annotations for. */
export interface AccountTarget extends Omit<ImportTarget, 'notes'> {
  /** The frames of a task, if `frames` are those of several. Its annotations are numbered from 0. */
  readonly range?: FrameRange;
}

/** What an import did beyond reading annotations. */
interface Effect {
  /** How many annotations it removes. */
  readonly replaced: number;
  /** Whether it creates tasks from the images of the archive. */
  readonly withImages: boolean;
}

/**
 * An archive that is imported in one format. Knows which files the format reads, so that those that it does not are
 * reported without its help.
 */
export class ArchiveAccount {
  /** Those that may be part of the dataset. */
  private readonly related: Set<string>;
  /** Files that were read, and whether they had content. */
  private readonly used = new Map<string, boolean>();
  private readonly aside = new Set<string>();
  /** Those that were imported, if the import is restricted to subsets. */
  private readonly subsets = new Set<string>();
  private parts = 0;

  /**
   * @param notes receives what is left out
   * @param docs URL of the page about formats
   */
  constructor(
    private readonly format: ImportFormat,
    private readonly archive: DatasetFiles,
    private readonly notes: ImportNotes,
    private readonly docs: string,
  ) {
    this.related = new Set(this.relatedFiles([]).paths);
  }

  /** The files without those that are part of no dataset. */
  private relatedFiles(frames: ImportTarget['frames']): DatasetFiles {
    const { archive } = this;
    const related = new Set(relatedPaths(archive.paths, frames));
    const paths = archive.paths.filter((path) => related.has(path) || this.isAuxiliary(path));
    return { paths, read: (path) => archive.read(path) };
  }

  /** See {@link ImportFormat.labels}. */
  async labels(): Promise<FoundLabel[]> {
    return (await this.explained(this.format.labels?.(this.relatedFiles([])))) ?? [];
  }

  /** See {@link ImportFormat.subsets}. */
  async subsetsOfImages(): Promise<ReadonlyMap<string, string> | undefined> {
    return this.explained(this.format.subsets?.(this.relatedFiles([])));
  }

  /** Finds the images of the layout of the format. See {@link ImportFormat.imagesIn}. */
  async images(): Promise<ImportFormat['imageAt']> {
    const { format } = this;
    return (await this.explained(format.imagesIn?.(this.relatedFiles([])))) ?? ((path) => format.imageAt(path));
  }

  /** Says which images become frames in the layout of another tool. */
  useImages(paths: Iterable<string>): void {
    for (const path of paths) this.used.set(path, false);
  }

  /** @throws FormatError if the files are not of the format, or the format is made for other media */
  async requireDimension(dimension: '2d' | '3d' | undefined): Promise<void> {
    const { format } = this;
    if (fitsDimension(format.info, dimension)) return;
    if ((await format.recognize?.(new ArchiveSample(this.relatedFiles([])))) === 0) throw this.notFound('');
    requireDimension(format.info, dimension);
  }

  /** See {@link ImportFormat.read}. */
  async *read({ range, ...target }: AccountTarget): AsyncGenerator<LabeledData> {
    const { used, aside, notes, format } = this;
    const files = this.relatedFiles(target.frames);
    for (const path of files.paths) this.related.add(path);
    const part = this.parts++;
    if (target.subset !== undefined) this.subsets.add(target.subset);
    const counted: DatasetFiles = {
      paths: files.paths,
      read(path) {
        used.set(path, used.get(path) ?? false);
        return notingContent(files.read(path), () => used.set(path, true));
      },
      peek: (path) => files.read(path),
      markRead: (path) => void used.set(path, true),
      setAside: (path) => void aside.add(path),
    };
    try {
      // What is left out of all tasks is noted when the archive is read for the first one.
      const noted = range === undefined || part === 0 ? notes : new ImportNotes(notes.isLenient);
      const found = format.read(counted, { ...target, notes: noted });
      for await (const data of range === undefined ? found : onFrames(found, range)) {
        notes.count(data, part);
        yield data;
      }
    } catch (error) {
      throw this.explanation(error);
    }
  }

  /**
   * Reports the files that were ignored, when everything has been read.
   * @throws FormatError if nothing was recognized, nothing of what was recognized could be imported, or annotations would
   * be replaced by none
   */
  close({ replaced, withImages }: Effect): void {
    this.noteSubsets();
    for (const path of this.archive.paths) {
      const use = this.related.has(path) ? this.useOf(path, withImages) : 'irrelevant';
      if (use === 'ignored') this.notes.ignore(path, `not a file of ${this.format.info.name}`);
      this.notes.files[use]++;
    }
    if (!this.notes.isEmpty) return;
    const left = this.notes.skipped.filter(({ kind }) => kind !== 'attribute');
    if (left.length > 0) throw this.nothing(`Nothing in the file could be imported: ${listOf(left)}`);
    const isKnown = [...this.related].some((path) => this.isAuxiliary(path) || (withImages && this.isImage(path)));
    if (!this.hasAnnotations && !isKnown)
      throw this.notFound(`The file has nothing that ${this.format.info.name} can read.`);
    if (replaced > 0) {
      throw new FormatError(
        `The file has no annotations, so the ${replaced} existing ones were kept. To remove them, delete them.`,
      );
    }
  }

  /** Whether a file was read that says which annotations there are, even if there are none. */
  private get hasAnnotations(): boolean {
    return [...this.used].some(
      ([path, hasContent]) => hasContent && !this.isAuxiliary(path) && !this.notes.isIgnored(path),
    );
  }

  private nothing(text: string): FormatError {
    return this.hasAnnotations ? new FormatError(text) : this.notFound(text);
  }

  private useOf(path: string, withImages: boolean): FileUse {
    if (this.notes.isIgnored(path)) return 'ignored';
    if (this.used.has(path)) return 'read';
    if (this.isAuxiliary(path) || this.isDuplicate(path)) return 'irrelevant';
    const kind = mediaKind(path);
    if (kind !== 'image') return kind === 'video' && !withImages ? 'irrelevant' : 'ignored';
    if (this.isImage(path)) return withImages ? 'read' : 'irrelevant';
    return withImages || this.mayBeMask(path) ? 'ignored' : 'irrelevant';
  }

  /** Whether another file has the same annotations. */
  private isDuplicate(path: string): boolean {
    const others = this.format.sameAs?.(path) ?? [];
    return others.some((other) => this.used.has(other) || this.notes.isIgnored(other));
  }

  private isAuxiliary(path: string): boolean {
    return this.aside.has(path) || this.format.auxiliary?.test(path) === true;
  }

  /** Whether the path is one of an image, in the layout of the format. */
  private isImage(path: string): boolean {
    if (mediaKind(path) !== 'image' || this.format.masks?.test(path) === true) return false;
    return this.format.imageAt(path) !== undefined;
  }

  /** In formats with masks, every image that is stored without losses may be one. */
  private mayBeMask(path: string): boolean {
    const { masks } = this.format;
    if (masks === undefined || isPointCloud(path)) return false;
    return masks.test(path) || !/\.(?:jpe?g|jpe|jfif|webp)$/i.test(path);
  }

  /** Annotations of subsets without images belong to no task. */
  private noteSubsets(): void {
    for (const [path, subset] of this.notes.passedOver()) {
      if (!this.subsets.has(subset)) this.notes.ignore(path, `there are no images of the subset ${shown(subset)}`);
    }
  }

  private async explained<T>(result: Promise<T> | undefined): Promise<T | undefined> {
    try {
      return await result;
    } catch (error) {
      throw this.explanation(error);
    }
  }

  private explanation(error: unknown): unknown {
    return error instanceof DatasetNotFound ? this.notFound(error.hint, error) : error;
  }

  /** Begins with what CVAT says. @param hint what is missing */
  private notFound(hint: string, cause?: unknown): FormatError {
    const { requires, info } = this.format;
    if (requires === undefined)
      return cause instanceof DatasetNotFound ? cause : new FormatError(`Failed to find dataset. ${hint}`);
    const needed = requires.length > 0 ? mustContain(requires) : 'specific requirement information unavailable';
    const text = `Check [format docs](${this.docs}#${anchorOf(info.name)}). ${needed}. ${hint}`;
    return new FormatError(text.trimEnd(), { cause });
  }
}

/** Smaller bytes are white space in texts. */
const SPACE = 32;

/** @param found is called for content that is not blank */
async function* notingContent(bytes: AsyncIterable<Uint8Array>, found: () => void): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    if (piece.some((byte) => byte > SPACE)) found();
    yield piece;
  }
}

function listOf(skipped: readonly Skipped[]): string {
  const sorted = skipped.toSorted((a, b) => Number(b.kind === 'file') - Number(a.kind === 'file'));
  const named = sorted.slice(0, MAX_NAMED).map(describe);
  const others = sorted.length - named.length;
  return `${named.join('; ')}${others > 0 ? `; and ${others} more` : ''}.`;
}

const UNKNOWN = { frame: 'there is no frame', label: 'there is no label' } as const;

function describe({ kind, name, location, reason }: Skipped): string {
  if (kind === 'frame' || kind === 'label') return `${UNKNOWN[kind]} ${shown(name)} (${location ?? ''})`;
  return `${shown(name)} (${[location, reason].filter((part) => part !== null).join(': ')})`;
}
