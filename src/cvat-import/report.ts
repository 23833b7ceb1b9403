import type { ImportResult } from './import-cvat.js';
import type { ModelTally } from './tally.js';

/**
 * What came, or would come, as lines for a terminal.
 * @param dryRun whether it would come only
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
