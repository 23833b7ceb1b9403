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
 * An event that listeners have not handled yet. This is a separate table, so that handling an event deletes a few bytes
 * instead of rewriting the event, which is long.
 */
@Entity('outbox_pending')
export class OutboxPendingEntity {
  @PrimaryColumn('bigint') eventId!: number;
}
