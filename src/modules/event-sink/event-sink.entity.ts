import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The state of the event sink: one row, which exists from the first event on. */
@Entity('event_sink')
@Check('ck_event_sink_id', 'id = 1')
export class EventSinkEntity {
  @PrimaryColumn('int', { default: 1 }) id!: number;
  /** The name under which this database publishes. */
  @Column('uuid', { generated: 'uuid' }) name!: string;
  /** The process that publishes: one at a time, so that events stay in order. */
  @Column('uuid', { nullable: true }) lease!: string | null;
  @Column('timestamptz', { nullable: true }) leaseEnd!: Date | null;
  @Column('int', { nullable: true }) holder!: number | null;
  /** When the broker last stored an event. */
  @Column('timestamptz', { nullable: true }) sentAt!: Date | null;
  @Column('timestamptz', { nullable: true }) failingSince!: Date | null;
  @Column('text', { nullable: true }) error!: string | null;
}

/** An event that the broker has not stored yet. */
@Entity('event_sink_pending')
export class EventSinkPendingEntity {
  @PrimaryColumn('bigint') eventId!: number;
}
