import { Entity, PrimaryColumn } from 'typeorm';

/**
 * An event that is still to be handed to the listeners. A table of its own, so that handing over deletes a few bytes and
 * leaves the event, which is long, as it was written.
 */
@Entity('outbox_pending')
export class OutboxPendingEntity {
  @PrimaryColumn('bigint') eventId!: number;
}
