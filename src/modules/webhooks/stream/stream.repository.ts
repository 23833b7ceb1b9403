import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import type { StoredEvent } from '../../../core/events/event-map.js';
import { storedColumns, type StoredEventRow, toStoredEvent } from '../../../core/events/stored-event.js';
import type { ApiVersion } from '../../../core/versioning/accept.js';
import { and, or, raw, type Sql, sql } from '../../../engines/sql/sql.js';
import { type Actor, isAdmin } from '../../../shared/policy/actor.js';
import { permittedWebhookScopes } from '../../../shared/policy/webhook.policy.js';
import { canReceive, eventsOf } from '../event-catalogue.js';

/** The organizations and projects whose events an actor may receive. */
export interface EventAccess {
  /** True for administrators. */
  readonly everywhere: boolean;
  readonly organizations: ReadonlySet<number>;
  readonly projects: ReadonlySet<number>;
}

/** The position of a reader: after the event `id` of `transaction`. */
export interface Cursor {
  readonly transaction: number;
  readonly id: number;
}

/** The transactions that had ended at a moment. https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT */
export class Moment {
  private constructor(
    private readonly firstOpen: number,
    private readonly next: number,
    private readonly open: ReadonlySet<number>,
  ) {}

  /** @param snapshot `xmin:xmax:xip,xip,…` */
  static of(snapshot: string): Moment {
    const [firstOpen = '', next = '', open = ''] = snapshot.split(':');
    return new Moment(Number(firstOpen), Number(next), new Set(open.split(',').map(Number)));
  }

  /** Before the first transaction that was open. Later transactions may have ended nevertheless. */
  get cursor(): Cursor {
    return { transaction: this.firstOpen, id: 0 };
  }

  /** Whether the cursor is in the future: it belongs to another database, or the database was restored from a backup. */
  isBefore({ transaction }: Cursor): boolean {
    return transaction > this.next;
  }

  /** Whether the transaction of the cursor had ended at this moment. */
  isAfter({ transaction }: Cursor): boolean {
    return transaction < this.firstOpen || (transaction < this.next && !this.open.has(transaction));
  }
}

/** The events that a client requests. */
export interface StreamFilter {
  /** Null: every event. */
  readonly events: ReadonlySet<string> | null;
  readonly projectId: number | null;
  /** The organization that the request names; null: it explicitly names none; undefined: any. */
  readonly organizationId: number | null | undefined;
}

export interface StreamedEvent extends StoredEvent {
  readonly cursor: Cursor;
}

interface Row extends StoredEventRow {
  readonly transaction: number;
}

export const isAfter = (one: Cursor, other: Cursor): boolean =>
  one.transaction > other.transaction || (one.transaction === other.transaction && one.id > other.id);

/** Whether the actor may receive the event and requested it. Evaluates `condition` in memory. */
export function isVisible(event: StoredEvent, access: EventAccess, filter: StreamFilter): boolean {
  const { name, organizationId, projectId } = event;
  if (filter.events !== null && !filter.events.has(name)) return false;
  if (filter.projectId !== null && projectId !== filter.projectId) return false;
  if (filter.organizationId !== undefined && organizationId !== filter.organizationId) return false;
  if (access.everywhere) return true;
  if (organizationId !== null && access.organizations.has(organizationId)) return canReceive('organization', name);
  return projectId !== null && access.projects.has(projectId) && canReceive('project', name);
}

function condition(access: EventAccess, filter: StreamFilter): Sql {
  const { events, projectId, organizationId } = filter;
  const wanted = [
    ...(events === null ? [] : [sql`name = any(${[...events]}::text[])`]),
    ...(projectId === null ? [] : [sql`project_id = ${projectId}`]),
    ...(organizationId === undefined ? [] : [sql`organization_id is not distinct from ${organizationId}::int`]),
  ];
  const permitted = or([
    sql`(organization_id = any(${[...access.organizations]}::int[]) and name = any(${[...eventsOf('organization')]}::text[]))`,
    sql`(project_id = any(${[...access.projects]}::int[]) and name = any(${[...eventsOf('project')]}::text[])
      and not coalesce(organization_id = any(${[...access.organizations]}::int[]), false))`,
  ]);
  return and([access.everywhere ? raw('true') : permitted, ...wanted]);
}

/** Stored events in the order in which their transactions began, up to the first that is still open. */
@Injectable()
export class StreamRepository {
  /** The start position of a client that wants only new events. */
  async now(db: Queryable): Promise<Moment> {
    const [row] = await db.query<{ snapshot: string }>(sql`select pg_current_snapshot()::text as snapshot`);
    return Moment.of(row?.snapshot ?? '');
  }

  /** The organization of a project, or of a deleted one as long as its events are kept; undefined otherwise. */
  async project(db: Queryable, id: number): Promise<{ exists: boolean; organization_id: number | null } | undefined> {
    const [row] = await db.query<{ exists: boolean; organization_id: number | null }>(sql`
      (select true as exists, organization_id from project where id = ${id})
      union all
      (select false, organization_id from outbox_event where project_id = ${id} order by id desc limit 1)
      limit 1`);
    return row;
  }

  /**
   * The next events after the cursor, in an API version.
   * @param only returns only events that the actor may receive and has requested
   */
  async after(
    db: Queryable,
    cursor: Cursor,
    limit: number,
    version: ApiVersion,
    only?: { readonly access: EventAccess; readonly filter: StreamFilter },
  ): Promise<StreamedEvent[]> {
    const rows = await db.query<Row>(sql`
      select ${storedColumns(version)}, transaction_id as transaction from outbox_event event
      where (transaction_id, id) > (${cursor.transaction}::bigint, ${cursor.id}::bigint)
        and transaction_id < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
        and ${only === undefined ? raw('true') : condition(only.access, only.filter)}
      order by transaction_id, id limit ${limit}`);
    return rows.map(({ transaction, ...row }) => ({ ...toStoredEvent(row), cursor: { transaction, id: row.id } }));
  }

  /**
   * The organizations and projects that the actor could create webhooks for: organizations they maintain and projects
   * they own, if they are members of the project's organization.
   */
  async access(db: Queryable, actor: Actor): Promise<EventAccess> {
    const none: ReadonlySet<number> = new Set();
    if (isAdmin(actor)) return { everywhere: true, organizations: none, projects: none };
    const rows = await db.query<{ organization: number | null; project: number | null }>(permittedWebhookScopes(actor));
    const known = (key: 'organization' | 'project'): ReadonlySet<number> =>
      new Set(rows.map((row) => row[key]).filter((id) => id !== null));
    return { everywhere: false, organizations: known('organization'), projects: known('project') };
  }
}
