/** Frequently changing columns, which have stamps of their own. The stamps of their tables cover all other columns. */
export const VOLATILE_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  job: ['state', 'stage', 'status', 'assignee_id', 'assignee_updated_date', 'updated_date'],
  task: ['status', 'assignee_id', 'assignee_updated_date', 'updated_date'],
  project: ['status', 'assignee_id', 'assignee_updated_date', 'updated_date'],
  app_user: ['last_login', 'password'],
};

/**
 * Names of the stamps that cover every change to what a statement reads: its tables, and the volatile columns that it
 * names. A matched word that is not a table has no stamp, so the statement has no version.
 */
export function stampsOf(text: string): string[] {
  const words = new Set(text.match(/\b[a-z_]+\b/g));
  return tablesIn(text).flatMap((table) => [
    table,
    ...(VOLATILE_COLUMNS[table] ?? []).filter((column) => words.has(column)).map((column) => `${table}.${column}`),
  ]);
}

/** Every name after FROM or JOIN. */
const tablesIn = (text: string): string[] =>
  [...new Set([...text.matchAll(/\b(?:from|join)\s+([a-z_]+)/g)].map(([, name = '']) => name))].filter(
    (name) => name !== 'where',
  );
