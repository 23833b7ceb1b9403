import { ApiProperty } from '@nestjs/swagger';
import { intItem, ListField } from '../../../core/http/body/composite-fields.js';
import { FRACTION, TextField } from '../../../core/http/body/fields.js';
import type { ListenerState } from '../../../core/events/listener-states.js';
import type { QuarantinedEvent } from '../../../core/events/quarantine.js';
import { bool, integer, type ListSpec, text, timestamp } from '../../../core/list/list-spec.js';
import { sql } from '../../../engines/sql/sql.js';
import { from, table } from '../../../engines/sql/tables.js';

/** A part of the server, or of an extension, that handles events. */
export class ListenerDto {
  @ApiProperty({ example: 'webhooks' }) name!: string;
  @ApiProperty({ description: 'False if no extension of this server has it any more' }) installed!: boolean;
  @ApiProperty({ description: 'Number of events that it has yet to handle' }) waiting!: number;
  @ApiProperty({ ...FRACTION, nullable: true, description: 'Age of the oldest of these events' })
  oldest_seconds!: number | null;
  @ApiProperty({ description: 'Number of its events in quarantine' }) quarantined!: number;
  @ApiProperty({ type: Number, nullable: true, description: 'Id of the event at which it fails and will try again' })
  failing_event!: number | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) failing_since!: string | null;
  @ApiProperty({ description: 'How often it has failed at this event' }) attempts!: number;
  @ApiProperty({ type: String, nullable: true }) error!: string | null;
}

export const toListener = (state: ListenerState, age: number | null): ListenerDto => ({
  name: state.name,
  installed: state.is_known,
  waiting: state.waiting,
  oldest_seconds: age,
  quarantined: state.quarantined,
  failing_event: state.failing_event,
  failing_since: state.failing_since,
  attempts: state.attempts,
  error: state.error,
});

/** An event that a listener could not handle. It has gone on with the next ones. */
export class QuarantinedEventDto {
  @ApiProperty() id!: number;
  @ApiProperty({ example: 'webhooks' }) listener!: string;
  @ApiProperty() event_id!: number;
  @ApiProperty({ example: 'update:job', description: 'Name of the event' }) event!: string;
  @ApiProperty({ description: 'Id of the object' }) object_id!: string;
  @ApiProperty() error!: string;
  @ApiProperty() attempts!: number;
  @ApiProperty({ format: 'date-time' }) first_failed_date!: string;
  @ApiProperty({ format: 'date-time' }) last_failed_date!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Since when it is being retried' })
  returned_date!: string | null;
}

export const toQuarantinedEvent = (row: QuarantinedEvent): QuarantinedEventDto => ({
  id: row.id,
  listener: row.listener,
  event_id: row.event_id,
  event: row.event,
  object_id: row.object_id,
  error: row.error,
  attempts: row.attempts,
  first_failed_date: row.first_failed_date,
  last_failed_date: row.last_failed_date,
  returned_date: row.returned_date,
});

/** What the list of events in quarantine can be filtered, sorted and searched by. */
export const quarantineList: ListSpec = {
  from: from({ table: table('outbox_quarantine'), joins: [] }),
  fields: {
    id: integer('outbox_quarantine.id'),
    listener: text('outbox_quarantine.listener'),
    event_id: integer('outbox_quarantine.event_id'),
    event: text('outbox_quarantine.event'),
    object_id: text('outbox_quarantine.object_id'),
    error: text('outbox_quarantine.error'),
    attempts: integer('outbox_quarantine.attempts'),
    first_failed_date: timestamp('outbox_quarantine.first_failed_date'),
    last_failed_date: timestamp('outbox_quarantine.last_failed_date'),
    retrying: bool(sql`(${table('outbox_quarantine')}.returned_date is not null)`),
  },
  search: ['listener', 'event', 'object_id', 'error'],
  simple: ['listener', 'event', 'event_id', 'object_id', 'retrying'],
  defaultSort: '-id',
};

const EVENT_ID = { min: 1, max: Number.MAX_SAFE_INTEGER } as const;

/** Which events to retry; absent keys: all. */
export class RetryEventsDto {
  @TextField({ optional: true, max: 256, description: 'Only events of this listener' }) listener?: string;
  @ListField(intItem(EVENT_ID), {
    optional: true,
    notEmpty: true,
    maxItems: 1000,
    description: 'Only events with these `event_id`s',
  })
  events?: number[];
}

export class RetriedEventsDto {
  @ApiProperty({ description: 'Number of events that are being retried' }) count!: number;
}
