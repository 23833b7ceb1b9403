import { ArchiveAccount } from '../../../engines/annotations/formats/archive-account.js';
import type { DatasetLabel } from '../../../engines/annotations/formats/dataset.js';
import type { DatasetFiles, ImportFormat } from '../../../engines/annotations/formats/format.js';
import { ImportNotes, type Skipped } from '../../../engines/annotations/formats/import-notes.js';
import { type ImportSave, revisionsUrl } from '../../annotations/index.js';
import { type ImportReportDto, type RequestContext, RequestFailure, type RequestResult } from '../../requests/index.js';

/** Parts of a file that a message names. */
const MAX_NAMED = 3;

interface ReportOptions {
  readonly dryRun?: boolean;
  readonly skipUnmatched?: boolean;
  readonly onlyComplete?: boolean;
}

/** The page about formats in the app. */
const docsOf = ({ baseUrl }: Pick<RequestContext, 'baseUrl'>): string => `${baseUrl}/help/formats`;

/** What an import creates, replaces and leaves out. */
export class ImportReport {
  /** New tasks. */
  tasks = 0;
  notes: ImportNotes;
  /** The name of the format in which the file is read; null if it is not known. */
  format: string | null = null;
  /** The names of the formats that the file may have. */
  formats: readonly string[] = [];
  private save: ImportSave | null = null;
  private isUndone: boolean;
  private restoreUrl: string | null = null;
  private names: ReadonlyMap<number, string> = new Map();

  constructor(private readonly options: ReportOptions) {
    this.isUndone = options.dryRun === true;
    this.notes = this.emptyNotes();
  }

  /** Starts again, because a transaction may run again. */
  begin(): void {
    this.tasks = 0;
    this.notes = this.emptyNotes();
    this.save = null;
    this.isUndone = this.options.dryRun === true;
  }

  /** @param labels those that annotations can have */
  nameLabels(labels: readonly DatasetLabel[]): void {
    this.names = new Map(labels.map(({ id, name }) => [id, name]));
  }

  /** The account of an archive that is imported now. */
  accountFor(format: ImportFormat, files: DatasetFiles, request: RequestContext): ArchiveAccount {
    return new ArchiveAccount(format, files, this.notes, docsOf(request));
  }

  /** @param target whose annotations were saved; null if nothing changed */
  saved(
    save: ImportSave | null,
    target: { readonly kind: 'task' | 'job'; readonly id: number },
    baseUrl: string,
  ): void {
    this.save = save;
    this.restoreUrl = save && `${revisionsUrl(target, baseUrl)}/${save.revision}/restore?state=before`;
  }

  /** The number of annotations that were replaced. */
  get replaced(): number {
    const { tags = 0, shapes = 0, tracks = 0, intervals = 0 } = this.save?.replaced ?? {};
    return tags + shapes + tracks + intervals;
  }

  /**
   * The result of the request. Its message says what was left out, for clients of versions without reports.
   * @throws RequestFailure if something was left out that must not be
   */
  result(): RequestResult {
    const { dryRun, onlyComplete } = this.options;
    if (dryRun === true) return { report: this.toDto() };
    const lost = this.leftOut(['file', 'annotation']);
    if (onlyComplete === true && lost !== '') {
      this.isUndone = true;
      throw new RequestFailure(`The file cannot be imported completely: ${lost}`, { report: this.toDto() });
    }
    const left = this.leftOut(['file', 'annotation', 'label', 'frame']);
    if (left === '') return { report: this.toDto() };
    const restore = this.replaced > 0 ? ` The annotations before are kept in the history: revision ${this.save?.revision}.` : ''; // prettier-ignore
    return { report: this.toDto(), message: `Not imported: ${left}${restore}` };
  }

  /** Attributes are not mentioned, because files contain notes of the tools that wrote them. */
  private leftOut(kinds: readonly Skipped['kind'][]): string {
    const left = this.notes.skipped.filter(({ kind }) => kinds.includes(kind));
    if (left.length === 0) return '';
    const others = left.length - MAX_NAMED + this.notes.unlisted;
    return `${left.slice(0, MAX_NAMED).map(textOf).join('; ')}${others > 0 ? `; and ${others} more` : ''}.`;
  }

  /** @param error why a dry run cannot tell more */
  toDto(error: string | null = null): ImportReportDto {
    const { imported, byLabel, skipped, unlisted, files } = this.notes;
    return {
      dry_run: this.options.dryRun === true,
      error,
      format: this.format,
      formats: [...this.formats],
      files: { ...files },
      tasks: this.tasks,
      ...imported,
      labels: Array.from(byLabel, ([id, count]) => ({ name: this.names.get(id) ?? '', count })),
      skipped,
      unlisted,
      replaced: this.save?.replaced ?? { tags: 0, shapes: 0, tracks: 0, intervals: 0 },
      revision: this.isUndone ? null : (this.save?.revision ?? null),
      restore_url: this.isUndone ? null : this.restoreUrl,
    };
  }

  /** A dry run goes on after what does not match, to find everything that does not. */
  private emptyNotes(): ImportNotes {
    return new ImportNotes(this.options.dryRun === true || this.options.skipUnmatched === true);
  }
}

const textOf = ({ kind, name, count, reason }: Skipped): string =>
  `${kind} ${name}${count > 1 ? ` (${count} times)` : ''}${reason === null ? '' : `: ${reason}`}`;
