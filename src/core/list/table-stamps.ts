/** Columns that change all the time and have stamps of their own; those of their table are for all others. */
export const VOLATILE_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  job: ['state', 'stage', 'status', 'assignee_id', 'assignee_updated_date', 'updated_date'],
  task: ['status', 'assignee_id', 'assignee_updated_date', 'updated_date'],
  project: ['status', 'assignee_id', 'assignee_updated_date', 'updated_date'],
  app_user: ['last_login', 'password'],
};

/**
 * Names of the stamps that tell of every change of what a statement reads: of the tables in it, and of those volatile
 * columns whose names are in it. A word that is no table is a stamp that is not there, so the statement has no version.
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
