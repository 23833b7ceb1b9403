/** Characters that must be quoted. */
const SPECIAL = /[",\r\n]/;

/**
 * What spreadsheets take for a formula, also in the wide forms that they treat alike (OWASP, CSV injection). Apostrophes
 * before it count, so that `unmasked` can remove the one that was added.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/u;

/** A line of CSV (RFC 4180) with its end, safe to open in a spreadsheet. Null is empty; texts are quoted where needed. */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map((cell) => (typeof cell === 'string' ? csvText(masked(cell)) : (cell ?? ''))).join(',')}\r\n`;

/** A text as a cell, unchanged. */
const csvText = (text: string): string => (SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A text that a spreadsheet shows instead of computing it. Numbers are not texts, so that negative ones stay numbers. */
export const masked = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Undoes `masked`. */
export const unmasked = (text: string): string => (text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text);
