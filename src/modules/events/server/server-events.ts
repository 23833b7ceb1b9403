import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import { EventLog } from '../../../core/event-log/event-log.js';
import type { LoggedEvent } from '../../../core/event-log/logged-event.js';
import type { StoredEvent } from '../../../core/events/event-map.js';
import { NOT_URGENT, OnEventBatch } from '../../../core/events/on-event.js';
import { sql } from '../../../engines/sql/sql.js';
import { type AnnotationEvent, AnnotationRows } from './annotation-rows.js';
import { type Names, rowsOf } from '../../../core/event-log/change-rows.js';

/** The listener that writes the event log. */
export const EVENT_LOG_LISTENER = 'event log';

/** Number of events between two yields, so that a long batch does not block requests. */
const SLICE = 100;

/** Adds committed events to the event log, in a transaction with their position: each is logged exactly once. */
@Injectable()
export class ServerEvents {
  constructor(
    private readonly log: EventLog,
    private readonly annotations: AnnotationRows,
  ) {}

  @OnEventBatch({ listener: EVENT_LOG_LISTENER })
  async onEvents(events: readonly StoredEvent[], tx: Tx): Promise<typeof NOT_URGENT> {
    const names = await this.names(tx, events);
    const saves = await this.annotations.of(tx, saved(events), names);
    const rows: LoggedEvent[] = [];
    for (const [index, event] of events.entries()) {
      if (index % SLICE === SLICE - 1) await yieldToEventLoop();
      rows.push(...(saves.get(event.id) ?? rowsOf(event, names)));
    }
    await this.log.write(tx, rows);
    return NOT_URGENT;
  }

  /** The e-mail addresses and slugs of a batch, as they are now. */
  private async names(tx: Tx, events: readonly StoredEvent[]): Promise<Names> {
    const users = distinct(events.map(({ sender }) => sender?.id ?? null));
    const organizations = distinct(events.map(({ organizationId }) => organizationId));
    const [emails, slugs] = await Promise.all([
      users.length === 0
        ? []
        : tx.query<{ id: number; text: string }>(sql`
            select id, email as text from app_user where id = any(${users}::int[]) and email <> ''`),
      organizations.length === 0
        ? []
        : tx.query<{ id: number; text: string }>(sql`
            select id, slug as text from organization where id = any(${organizations}::int[])`),
    ]);
    return { emails: byId(emails), slugs: byId(slugs) };
  }
}

const saved = (events: readonly StoredEvent[]): AnnotationEvent[] =>
  events.filter(({ name }) => name === 'update:annotations') as unknown as AnnotationEvent[];

const byId = (rows: readonly { id: number; text: string }[]): Map<number, string> =>
  new Map(rows.map(({ id, text }) => [id, text]));

const distinct = (values: readonly (number | null)[]): number[] => [
  ...new Set(values.filter((value) => value !== null)),
];
