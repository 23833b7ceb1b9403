import type { DumpRecord } from './read-dump.js';
import type { ImportResult } from './import-cvat.js';

export interface ModelTally {
  readonly model: string;
  found: number;
  /** Imported, with rows of their own or as part of others. */
  coming: number;
  /** Number of records by the reason why they are left out. */
  readonly leftOut: Map<string, number>;
  /** Number of imported records by what is left out of them. */
  readonly remarks: Map<string, number>;
  /** Number of records by the name of an unknown field, which was not read. */
  readonly unknownFields: Map<string, number>;
}

/** What a dump contains, by model in order of appearance. */
export class Tally {
  private readonly byModel = new Map<string, ModelTally>();

  came(record: DumpRecord): void {
    const tally = this.of(record.model);
    tally.coming += 1;
    for (const remark of record.allRemarks()) increase(tally.remarks, remark);
    for (const field of record.unknownFields()) increase(tally.unknownFields, field);
  }

  leftOut(record: DumpRecord, reason: string): void {
    increase(this.of(record.model).leftOut, reason);
  }

  get models(): readonly ModelTally[] {
    return [...this.byModel.values()];
  }

  private of(model: string): ModelTally {
    const known = this.byModel.get(model);
    const tally = known ?? {
      model,
      found: 0,
      coming: 0,
      leftOut: new Map(),
      remarks: new Map(),
      unknownFields: new Map(),
    };
    if (known === undefined) this.byModel.set(model, tally);
    tally.found += 1;
    return tally;
  }
}

const increase = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

/**
 * The result of an import as lines for a terminal.
 * @param dryRun whether the import was a dry run
 */
export function reportText({ models, files }: ImportResult, dryRun: boolean): string {
  const rows = models.map((model) => [model.model, String(model.found), String(model.coming), remarksOf(model)]);
  const lines = table(['model', 'found', dryRun ? 'would come' : 'came', dryRun ? 'cannot come' : 'left out'], rows);
  const missing = files.namesOfMissing.map((name) => `  missing: ${name}`);
  const more = files.missing - files.namesOfMissing.length;
  if (more > 0) missing.push(`  and ${more} more`);
  const elsewhere =
    files.elsewhere > 0 ? [`  ${files.elsewhere} are on the share or in a cloud storage, not in the data folder`] : [];
  return [
    ...lines,
    '',
    `Files: ${files.found} found, ${files.missing} missing, ${files.unused} that nothing needs.`,
    ...missing,
    ...elsewhere,
    '',
  ].join('\n');
}

function remarksOf({ leftOut, remarks, unknownFields }: ModelTally): string {
  const reasons = [...leftOut, ...remarks].map(([reason, count]) => `${count}: ${reason}`);
  const fields = [...unknownFields].map(
    ([field, count]) => `field "${field}" of ${count} is not known and stays behind`,
  );
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
