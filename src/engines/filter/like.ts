import { sql, type Sql } from '../sql/sql.js';

/** A LIKE pattern that finds `needle` anywhere, with %, _ and \ escaped. */
export const containsPattern = (needle: string): string => `%${needle.replace(/[\\%_]/g, '\\$&')}%`;

/** Whether `column` (any type, as text) contains `needle`, case-sensitively. */
export const contains = (column: Sql, needle: string): Sql => sql`(${column})::text like ${containsPattern(needle)}`;

/** The same, ignoring case. */
export const containsCaseless = (column: Sql, needle: string): Sql =>
  sql`(${column})::text ilike ${containsPattern(needle)}`;
