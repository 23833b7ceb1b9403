import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { EventSender, Snapshot } from './event-map.js';

/** A committed event, kept for replay after it was handed to the listeners. */
@Entity('outbox_event')
@Index(['organizationId', 'id'])
@Index(['projectId', 'id'])
@Index(['transactionId', 'id'])
export class OutboxEventEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  /**
   * The transaction that wrote it, for readers that must not skip an event that is committed later. The migration has the
   * casts.
   */
  @Column('bigint', { default: () => '((pg_current_xact_id()))' }) transactionId!: number;
  @Column('text') name!: string;
  @Column('text') objectId!: string;
  @Column('int', { nullable: true }) organizationId!: number | null;
  @Column('int', { nullable: true }) projectId!: number | null;
  @Column('json', { nullable: true }) sender!: EventSender | null;
  @Column('json', { nullable: true }) before!: Snapshot | null;
  @Column('json') after!: Snapshot;
  /** Further extras of `after`, which may be very long; null for none. */
  @Column('json', { nullable: true }) extras!: Snapshot['extras'] | null;
  @Column('timestamptz') @Index() occurredAt!: Date;
  /** W3C trace of the request that caused it; null for background work. */
  @Column('text', { nullable: true }) traceparent!: string | null;
}

/**
 * An event that is still to be handed to the listeners. A table of its own, so that handing it over deletes a few bytes
 * and leaves the event, which is long, as it was written.
 */
@Entity('outbox_pending')
export class OutboxPendingEntity {
  @PrimaryColumn('bigint') eventId!: number;
}
