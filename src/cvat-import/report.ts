import type { DumpRecord } from './dump-record.js';
import type { ImportResult } from './import-cvat.js';
import type { SkippedCount } from './skipped-records.js';

const SKIPPED = 'skipped, because the record or one that it refers to is invalid';

export interface ModelCounts {
  readonly model: string;
  found: number;
  /** Imported, with rows of their own or as part of others. */
  imported: number;
  /** Number of records by the reason why they are left out. */
  readonly omitted: Map<string, number>;
  /** Number of imported records by what is left out of them. */
  readonly remarks: Map<string, number>;
  /** Number of records by the name of an unknown field, which was not read. */
  readonly unknownFields: Map<string, number>;
}

/** What a dump contains, by model in order of appearance. */
export class ImportCounts {
  private readonly byModel = new Map<string, ModelCounts>();

  imported(record: DumpRecord): void {
    const counts = this.of(record.model);
    counts.imported += 1;
    for (const remark of record.allRemarks()) increase(counts.remarks, remark);
    for (const field of record.unknownFields()) increase(counts.unknownFields, field);
  }

  /** A record that cannot be imported, before it was staged. */
  skipped(record: DumpRecord): void {
    increase(this.of(record.model).omitted, SKIPPED);
  }

  /** Records that were counted as imported and then left out. */
  removed({ model, count, is_problem: isProblem }: SkippedCount): void {
    const counts = this.byModel.get(model);
    if (counts === undefined) return;
    counts.imported -= count;
    const reason = isProblem ? SKIPPED : 'refers to a record that is not imported';
    counts.omitted.set(reason, (counts.omitted.get(reason) ?? 0) + count);
  }

  omitted(record: DumpRecord, reason: string): void {
    increase(this.of(record.model).omitted, reason);
  }

  get models(): readonly ModelCounts[] {
    return [...this.byModel.values()];
  }

  private of(model: string): ModelCounts {
    const known = this.byModel.get(model);
    const counts = known ?? {
      model,
      found: 0,
      imported: 0,
      omitted: new Map(),
      remarks: new Map(),
      unknownFields: new Map(),
    };
    if (known === undefined) this.byModel.set(model, counts);
    counts.found += 1;
    return counts;
  }
}

const increase = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

/**
 * The result of an import as lines for a terminal.
 * @param dryRun whether the import was a dry run
 */
export function reportText({ models, files, skipped }: ImportResult, dryRun: boolean): string {
  const rows = models.map((model) => [model.model, String(model.found), String(model.imported), remarksOf(model)]);
  const lines = table(['model', 'found', dryRun ? 'importable' : 'imported', 'remarks'], rows);
  const missing = files.namesOfMissing.map((name) => `  missing: ${name}`);
  const more = files.missing - files.namesOfMissing.length;
  if (more > 0) missing.push(`  and ${more} more`);
  const elsewhere =
    files.elsewhere > 0 ? [`  ${files.elsewhere} are on the share or in a cloud storage, not in the data folder`] : [];
  return [
    ...lines,
    '',
    `Files: ${files.found} found, ${files.missing} missing, ${files.unused} not needed.`,
    ...missing,
    ...elsewhere,
    ...(skipped === undefined
      ? []
      : [`Skipped: ${skipped.count} invalid records${skipped.count > 0 ? `, listed in ${skipped.path}` : ''}.`]),
    '',
  ].join('\n');
}

function remarksOf({ omitted, remarks, unknownFields }: ModelCounts): string {
  const reasons = [...omitted, ...remarks].map(([reason, count]) => `${count}: ${reason}`);
  const fields = [...unknownFields].map(([field, count]) => `field "${field}" of ${count} is unknown and not imported`);
  return [...reasons, ...fields].join('; ');
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 1 || column === 2 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [line(heads), ...rows.map(line)];
}
