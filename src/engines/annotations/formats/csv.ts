import { pipeline, Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { masked, unmasked } from '../../../shared/csv.js';
import { decimal } from '../decimal.js';
import { type FileLocation, FormatError, refuse, shown } from './format.js';
import { decodeText } from './text-pieces.js';

export type CsvValue = string | number;

/** Texts that are numbers, such as coordinates. */
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Rows as text, safe to open in a spreadsheet; lines end with CR LF. */
export const csvText = (rows: readonly (readonly CsvValue[])[]): string =>
  stringify(
    rows.map((row) => row.map((cell) => (typeof cell === 'string' && !NUMBER.test(cell) ? masked(cell) : cell))),
    { record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
  );

/** A row of a file whose first row names the columns. */
export class CsvRow {
  constructor(
    private readonly values: Readonly<Record<string, string>>,
    readonly location: FileLocation,
  ) {}

  /** @returns the value of a column, empty if the row does not have it */
  text(column: string): string {
    return unmasked(this.values[column] ?? '');
  }

  /** @throws FormatError if the column is missing or empty */
  required(column: string): string {
    return this.text(column) || refuse(this.location, `the column ${column} is empty`);
  }

  /** @throws FormatError if the value is not a number */
  number(column: string): number {
    const value = decimal(this.text(column));
    return Number.isFinite(value)
      ? value
      : refuse(this.location, `${column} ${shown(this.text(column))} is not a number`);
  }
}

/** In characters. */
const MAX_ROW = 2 ** 20;

/**
 * Reads a CSV file row by row.
 * @param columns names of the columns, for files that do not begin with them
 * @throws FormatError if the file cannot be decoded, is not CSV, or does not name its columns
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  columns: string[] | true = true,
): AsyncGenerator<CsvRow> {
  const named = columns === true ? (names: string[]) => distinctColumns(names, file) : columns;
  const options = {
    columns: named,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_ROW,
  };
  let isBlank = true;
  const text = async function* (): AsyncGenerator<string> {
    for await (const piece of decodeText(bytes, file)) {
      isBlank &&= piece.trim() === '';
      yield piece;
    }
  };
  const parser = pipeline(Readable.from(text()), parse(options), () => undefined);
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRow>) {
      yield new CsvRow(record, `${file}, line ${info.lines}`);
    }
    if (isBlank && columns === true) refuse(file, 'the file is empty. Its first line must name the columns');
  } catch (error) {
    if (error instanceof FormatError) throw error;
    refuse(file, `the file is not CSV: ${error instanceof Error ? error.message : ''}`, error);
  }
}

/** @throws FormatError if two columns have one name: the values of one would be lost */
function distinctColumns(names: string[], file: string): string[] {
  const known = new Set<string>();
  for (const name of names) {
    if (name !== '' && known.has(name)) refuse(`${file}, line 1`, `the column ${shown(name)} is there twice`);
    known.add(name);
  }
  return names;
}

interface ParsedRow {
  readonly record: Record<string, string>;
  readonly info: { readonly lines: number };
}
