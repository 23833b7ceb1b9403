import { sql, type Sql } from '../sql/sql.js';

/** A LIKE pattern that finds `needle` anywhere; its %, _ and \ stand for themselves. */
export const containsPattern = (needle: string): string => `%${needle.replace(/[\\%_]/g, '\\$&')}%`;

/** `column` (any type, as text) has `needle` in it, letter by letter. */
export const contains = (column: Sql, needle: string): Sql => sql`(${column})::text like ${containsPattern(needle)}`;

/** The same for upper and lower case alike. */
export const containsCaseless = (column: Sql, needle: string): Sql =>
  sql`(${column})::text ilike ${containsPattern(needle)}`;
