import { join, raw, type Sql, sql } from '../../engines/sql/sql.js';
import type { RequestOrigin } from '../../shared/policy/actor.js';

/** Columns and their types, in the order of the rows. */
const COLUMNS = {
  event_time: 'timestamptz',
  source: 'text',
  scope: 'text',
  obj_name: 'text',
  obj_id: 'bigint',
  obj_val: 'text',
  count: 'bigint',
  duration: 'bigint',
  project_id: 'int',
  task_id: 'int',
  job_id: 'int',
  user_id: 'int',
  user_name: 'text',
  user_email: 'text',
  org_id: 'int',
  org_slug: 'text',
  payload: 'text',
  frames: 'int4multirange',
  is_audit: 'boolean',
  address: 'text',
  credential: 'text',
  token_id: 'int',
  token_name: 'text',
  request_id: 'text',
} as const;

/** A row of the event log. Absent columns are null. */
export interface LoggedEvent {
  /** ISO 8601. */
  readonly event_time: string;
  readonly source: 'client' | 'server' | 'audit';
  readonly scope: string;
  readonly obj_name?: string | null;
  readonly obj_id?: number | null;
  readonly obj_val?: string | null;
  readonly count?: number | null;
  /** Milliseconds. Default: 0. */
  readonly duration?: number;
  readonly project_id?: number | null;
  readonly task_id?: number | null;
  readonly job_id?: number | null;
  readonly user_id?: number | null;
  readonly user_name?: string | null;
  readonly user_email?: string | null;
  readonly org_id?: number | null;
  readonly org_slug?: string | null;
  /** JSON. */
  readonly payload?: string | null;
  /** In PostgreSQL's notation: `{[0,3),[7,8)}`. */
  readonly frames?: string | null;
  readonly is_audit?: boolean;
  readonly address?: string | null;
  readonly credential?: string | null;
  readonly token_id?: number | null;
  readonly token_name?: string | null;
  readonly request_id?: string | null;
}

const NAMES = Object.keys(COLUMNS);
const TARGET = raw(NAMES.join(', '));
/** Rejected requests know the id of the organization of an object, but not always its slug. */
const SLUG = `case when source = 'audit' and org_slug is null
  then (select slug from organization where organization.id = org_id) else org_slug end`;
const EXPRESSIONS: Readonly<Record<string, string>> = {
  duration: 'coalesce(duration, 0)',
  is_audit: 'coalesce(is_audit, false)',
  org_slug: SLUG,
};
const VALUES = join(
  NAMES.map((name) => raw(EXPRESSIONS[name] ?? name)),
  ', ',
);
const TYPES = raw(
  Object.entries(COLUMNS)
    .map(([name, type]) => `${name} ${type}`)
    .join(', '),
);

/** Inserts rows in order. @param rows by `rowToJson` */
export const insertRows = (rows: readonly string[], now: Date): Sql => sql`
  insert into logged_event (created_date, ${TARGET})
  select ${now}::timestamptz, ${VALUES} from json_to_recordset(${`[${rows.join(',')}]`}::json) as event(${TYPES})`;

/** PostgreSQL stores no null characters, and JSON no half of a surrogate pair. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;
/** How JSON shows them. It also matches backslashes before such letters, which is only slower. */
const SHOWN_UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** A row as JSON. Characters that cannot be stored are replaced. */
export function rowToJson(row: LoggedEvent): string {
  const json = JSON.stringify(row);
  if (!SHOWN_UNSTORABLE.test(json)) return json;
  return JSON.stringify(row, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(UNSTORABLE, '\ufffd') : value,
  );
}

/** The columns for the request that caused an event. */
export const originColumns = (
  origin: RequestOrigin | null | undefined,
): Pick<LoggedEvent, 'address' | 'credential' | 'token_id' | 'token_name' | 'request_id'> => ({
  address: origin?.address ?? null,
  credential: origin?.credential ?? null,
  token_id: origin?.tokenId ?? null,
  token_name: origin?.tokenName ?? null,
  request_id: origin?.requestId ?? null,
});

/** The key `request` of payloads. */
export const requestOfPayload = (
  origin: RequestOrigin | null | undefined,
): { readonly id: string | null; readonly user_agent: string | null } => ({
  id: origin?.requestId ?? null,
  user_agent: origin?.userAgent ?? null,
});
