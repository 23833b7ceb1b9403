import { existsSync } from 'node:fs';

/** Brings the schema of the template database up to date; leaves it empty while the project has no migrations. */
export async function migrateTemplate(url: string): Promise<void> {
  const source = new URL('../../src/core/database/migrate.ts', import.meta.url);
  if (!existsSync(source)) return;
  const { migrate } = (await import(source.href)) as { migrate: (url: string) => Promise<unknown> };
  await migrate(url);
}
