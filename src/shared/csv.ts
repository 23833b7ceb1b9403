/** Characters that must be quoted. */
const SPECIAL = /[",\r\n]/;

/**
 * What spreadsheets take for a formula, also in the wide forms that they treat alike (OWASP, CSV injection). Numbers are
 * not texts, so that negative ones stay numbers.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;

/** A line of CSV (RFC 4180) with its end, safe to open in a spreadsheet. Null is empty; texts are quoted where needed. */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map((cell) => (typeof cell === 'string' ? csvText(FORMULA.test(cell) ? `'${cell}` : cell) : (cell ?? ''))).join(',')}\r\n`;

/** A text as a cell, unchanged. */
export const csvText = (text: string): string => (SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
