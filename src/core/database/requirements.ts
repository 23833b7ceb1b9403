import type { DataSource } from 'typeorm';

/** The oldest supported version of PostgreSQL, as in `server_version_num`. */
export const OLDEST_POSTGRES = 140_000;

/** The database is reachable and cannot be used. The message is written for the person who started the process. */
export class DatabaseRequirementError extends Error {
  override name = 'DatabaseRequirementError';
}

/** What a server and a role must offer. */
export interface DatabaseFacts {
  readonly number: number;
  readonly version: string;
  readonly encoding: string;
  readonly role: string;
  /** The schema of new tables; null if the search path names none that exists. */
  readonly schema: string | null;
  readonly creates: boolean;
  readonly timezone: string;
}

/** A statement that reads {@link DatabaseFacts}. */
export const DATABASE_FACTS = `
  select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
    current_setting('server_encoding') as encoding, current_user as role, current_schema() as schema,
    coalesce(has_schema_privilege(current_schema(), 'create'), false) as creates,
    current_setting('TimeZone') as timezone`;

/** Why a database cannot be used, and what to do; null if it can. */
export function unsuitable({ number, version, encoding, role, schema, creates }: DatabaseFacts): string | null {
  if (number < OLDEST_POSTGRES) return `PostgreSQL ${version} is too old. Cairn needs version 14 or newer.`;
  if (encoding !== 'UTF8')
    return `The encoding of the database is ${encoding}. Create it with ENCODING 'UTF8' TEMPLATE template0.`;
  if (schema === null)
    return `The search path of the role ${role} names no schema that exists. Create one, or set the role's search_path.`;
  if (creates) return null;
  return `The role ${role} cannot create tables in the schema ${schema}. Make it the owner of the database, or run GRANT CREATE ON SCHEMA ${schema} TO ${role}.`;
}

/** @throws DatabaseRequirementError */
export async function requireSuitable(dataSource: DataSource): Promise<void> {
  const [facts] = await dataSource.query<DatabaseFacts[]>(DATABASE_FACTS);
  const problem = facts === undefined ? null : unsuitable(facts);
  if (problem !== null) throw new DatabaseRequirementError(problem);
  if (facts?.timezone !== 'UTC')
    throw new DatabaseRequirementError(
      'Settings of sessions do not reach the database: a connection pooler drops them. Set DATABASE_DIRECT_URL to the URL of PostgreSQL itself.',
    );
}
