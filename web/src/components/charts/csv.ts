import { csvLine } from '#shared/csv';

/** A value of a table; null if there is none. */
export type CellValue = string | number | null;

/** A column of a table that can be downloaded. */
export interface ValueColumn<Row> {
  readonly title: string;
  readonly value: (row: Row) => CellValue;
}

/** A table as CSV, with a header. Texts that a spreadsheet would run as formulas begin with an apostrophe. */
export function toCsv<Row>(columns: readonly ValueColumn<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ value }) => value(row)))];
  return lines.map(csvLine).join('');
}

/** Lets the browser save a text as a file. */
export function saveText(name: string, text: string, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
