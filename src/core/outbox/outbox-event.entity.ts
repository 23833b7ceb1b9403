import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { EventSender, Snapshot } from './event-map.js';

/** A committed change on its way to the listeners, kept for replay after that. */
@Entity('outbox_event')
@Index(['organizationId', 'id'])
@Index(['projectId', 'id'])
@Index(['transactionId', 'id'])
export class OutboxEventEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  /** The transaction that wrote it, for readers that must not overlook an event that is committed later. The migration has the casts. */
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
