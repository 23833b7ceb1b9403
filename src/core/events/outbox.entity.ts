import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { EventContext, EventSender } from './event-map.js';
import type { Snapshot } from '../versioning/representations.js';

/** A committed event. It is kept for replay after the listeners have handled it. */
@Entity('outbox_event')
@Index(['organizationId', 'id'])
@Index(['projectId', 'id'])
@Index(['transactionId', 'id'])
export class OutboxEventEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  /**
   * The transaction that wrote it, for readers that must not skip events committed later. The migration adds the casts.
   */
  @Column('bigint', { default: () => '((pg_current_xact_id()))' }) transactionId!: number;
  @Column('text') name!: string;
  @Column('text') objectId!: string;
  @Column('int', { nullable: true }) organizationId!: number | null;
  @Column('int', { nullable: true }) projectId!: number | null;
  @Column('json', { nullable: true }) sender!: EventSender | null;
  @Column('json', { nullable: true }) before!: Snapshot | null;
  @Column('json') after!: Snapshot;
  /** Additional extras of `after`, which may be very long; null if there are none. */
  @Column('json', { nullable: true }) extras!: Snapshot['extras'] | null;
  @Column('timestamptz') @Index() occurredAt!: Date;
  /** The request that caused it, and the task and the job that its object belongs to. */
  @Column('json', { nullable: true }) context!: EventContext | null;
  /** W3C trace context of the request that caused it; null for background work. */
  @Column('text', { nullable: true }) traceparent!: string | null;
}

/**
 * An event that has no position yet. This is a separate table, so that handling an event deletes a few bytes instead of
 * rewriting the event, which is long.
 */
@Entity('outbox_pending')
export class OutboxPendingEntity {
  @PrimaryColumn('bigint') eventId!: number;
}

/**
 * The order in which listeners handle events. Unlike ids of events, positions are committed in ascending order, so a
 * reader that has handled all events up to a position has missed none. Deleted when all listeners have passed it.
 */
@Entity('outbox_order')
export class OutboxOrderEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) position!: number;
  @Column('bigint') eventId!: number;
  /** Name of the event. */
  @Column('text') name!: string;
}

/** Something that handles events, and how far it has come. Its row is locked while it does. */
@Entity('outbox_listener')
export class OutboxListenerEntity {
  @PrimaryColumn('text') name!: string;
  /** Names of the events that it gets; null: all. */
  @Column('text', { array: true, nullable: true }) events!: string[] | null;
  /** It has handled the events up to this position. */
  @Column('bigint') position!: number;
  /** When a process last had this listener. */
  @Column('timestamptz') seenDate!: Date;
  /** The event at which it has failed; null: none. */
  @Column('bigint', { nullable: true }) failingEvent!: number | null;
  /** How often it has failed at this event. */
  @Column('int', { default: 0 }) attempts!: number;
  @Column('timestamptz', { nullable: true }) failingSince!: Date | null;
  @Column('timestamptz', { nullable: true }) retryDate!: Date | null;
  @Column('text', { nullable: true }) error!: string | null;
}

/** An event that a listener has failed to handle. */
@Entity('outbox_quarantine')
@Index(['listener', 'eventId'], { unique: true })
export class OutboxQuarantineEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('text') listener!: string;
  @Column('bigint') @Index() eventId!: number;
  @Column('text') event!: string;
  @Column('text') objectId!: string;
  @Column('text') error!: string;
  @Column('int') attempts!: number;
  @Column('timestamptz') firstFailedDate!: Date;
  @Column('timestamptz') lastFailedDate!: Date;
  /** When it was given back to the listener; null: it was not. */
  @Column('timestamptz', { nullable: true }) returnedDate!: Date | null;
}
