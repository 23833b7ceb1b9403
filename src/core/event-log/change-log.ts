import { Injectable } from '@nestjs/common';
import { raw, sql } from '../../engines/sql/sql.js';
import type { Actor, RequestOrigin } from '../../shared/policy/actor.js';
import type { Tx } from '../database/tx.js';
import { type ObjectChange, rowsOf } from './change-rows.js';
import { EventLog } from './event-log.js';
import type { LoggedEvent } from './logged-event.js';
import { currentOrigin } from './origin.js';

/** What the changed object belongs to. The organization is looked up if it is absent. */
export interface ChangePlace {
  readonly organizationId?: number | null;
  readonly projectId?: number | null;
  readonly taskId?: number | null;
}

type WireObject = Readonly<Record<string, unknown>>;

interface Organization {
  readonly id: number | null;
  readonly slug: string | null;
}

interface Change {
  readonly actor: Actor;
  readonly name: string;
  readonly change: { readonly object: object; readonly before?: object };
  readonly place: ChangePlace;
  readonly origin: RequestOrigin | null;
}

/**
 * Logs changes of objects without events: labels, cloud storages, webhooks, access tokens, requests for exports and
 * imports, and calls of functions. The rows are written with the last statements of the transaction.
 */
@Injectable()
export class ChangeLog {
  private readonly pending = new WeakMap<Tx, Change[]>();

  constructor(private readonly log: EventLog) {}

  /**
   * @param name `create:label`, …, or `call:function`
   * @param change the object after the change, or before its deletion; of a call
   * `{ function: { id }, category: 'interactive' | 'batch', parameters?, task_id?, job_id? }`
   */
  record(tx: Tx, actor: Actor, name: string, change: Change['change'], place: ChangePlace = {}): void {
    const added: Change = { actor, name, change, place, origin: actor.origin ?? currentOrigin() };
    const known = this.pending.get(tx);
    if (known !== undefined) return void known.push(added);
    const changes = [added];
    this.pending.set(tx, changes);
    tx.beforeCommit(() => this.write(tx, changes));
  }

  /** The number of statements depends on the number of places, not on that of changes. */
  private async write(tx: Tx, changes: readonly Change[]): Promise<void> {
    const organizations = new Map<string, Organization>();
    const rows: LoggedEvent[] = [];
    for (const one of changes) {
      const key = JSON.stringify(one.place);
      const organization = organizations.get(key) ?? (await organizationOf(tx, one.actor, one.place));
      organizations.set(key, organization);
      rows.push(...rowsOfChange(one, organization, tx.now));
    }
    await this.log.write(tx, rows);
  }
}

function rowsOfChange({ actor, name, change, place, origin }: Change, { id, slug }: Organization, now: Date) {
  const event: ObjectChange = {
    name,
    sender: actor,
    occurredAt: now.toISOString(),
    organizationId: id,
    projectId: place.projectId ?? null,
    context: { origin, taskId: place.taskId ?? null },
    after: { object: change.object as WireObject },
    before: change.before === undefined ? undefined : { object: change.before as WireObject },
  };
  return rowsOf(event, {
    emails: new Map(actor.email === '' ? [] : [[actor.id, actor.email]]),
    slugs: new Map(id === null || slug === null ? [] : [[id, slug]]),
  });
}

async function organizationOf(
  tx: Tx,
  { context }: Actor,
  { organizationId, projectId = null, taskId = null }: ChangePlace,
): Promise<Organization> {
  const nothing = { id: null, slug: null };
  if (organizationId === null) return nothing;
  if (context.kind === 'organization' && context.id === organizationId) return { id: context.id, slug: context.slug };
  if (organizationId === undefined && projectId === null && taskId === null) return nothing;
  const [table, id] = projectId === null ? ['task', taskId] : ['project', projectId];
  const which = organizationId === undefined ? sql`(select organization_id from ${raw(table)} where id = ${id})` : sql`${organizationId}::int`; // prettier-ignore
  const [row] = await tx.query<{ id: number; slug: string }>(sql`
    select id, slug from organization where id = ${which}`);
  return row ?? nothing;
}
