import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import { WebhookEntity } from '../subscriptions/webhook.entity.js';

/** The payload of an event in one API version and form, without its last key, which is the id of the webhook. */
@Entity('webhook_payload')
export class WebhookPayloadEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' }) id!: number;
  @Column('text') head!: string;
}

/** A process that may hold leases of deliveries. */
@Entity('webhook_lease_holder')
export class WebhookLeaseHolderEntity {
  @PrimaryColumn('int') holder!: number;
}

/**
 * One event for one webhook, and the lease of the worker that is sending it. The payload does not change once it can be
 * sent. Partial indexes (see the migrations) find the unfinished deliveries of a webhook by time, and the delivery of an
 * event to a webhook.
 */
@Entity('webhook_delivery')
@Index(['webhookId', 'updatedDate'])
export class WebhookDeliveryEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  /** Goes with its webhook, as its attempts go with it, by a trigger. */
  @ManyToOne(() => WebhookEntity, { createForeignKeyConstraints: false })
  @JoinColumn()
  webhook!: Relation<WebhookEntity>;
  @Column('int') webhookId!: number;
  /** Null for pings. */
  @Column('bigint', { nullable: true }) eventId!: number | null;
  @Column('text') event!: string;
  /** `webhook-id` on the wire: the same in all attempts and redeliveries, so that receivers recognise repetitions. */
  @Column('uuid') messageId!: string;
  /** Of pings, imported deliveries and merged saves, which share theirs with no other delivery. */
  @Column('text', { nullable: true }) payload!: string | null;
  /** Of the shared payload in `webhook_payload`, which is deleted with its last delivery by a trigger. */
  @Column('bigint', { nullable: true }) payloadId!: number | null;
  @Column('text', { default: '' }) changedFields!: string;
  @Column('boolean', { default: false }) redelivery!: boolean;
  /** pending, delivered, failed. */
  @Column('text') status!: string;
  /** When it is due; null when nothing more will be sent. It stays due while it is being sent. */
  @Column('timestamptz', { nullable: true }) nextAttemptAt!: Date | null;
  /** Identifies the claim of the worker that is sending it; another worker may take it after `leaseEnd`. */
  @Column('uuid', { nullable: true }) lease!: string | null;
  @Column('timestamptz', { nullable: true }) leaseEnd!: Date | null;
  /** The number of the worker's process; the lease ends when that process dies. Null: unknown. */
  @Column('int', { nullable: true }) holder!: number | null;
  @Column('int', { default: 0 }) attempts!: number;
  /** Of the last attempt, like the three below. */
  @Column('int', { nullable: true }) statusCode!: number | null;
  @Column('text', { default: '' }) response!: string;
  /** Milliseconds. */
  @Column('int', { nullable: true }) requestDuration!: number | null;
  /** Of a batch: more saves of the object are merged into it as long as it waits. A partial index finds it. */
  @Column('text', { nullable: true }) batchKey!: string | null;
  /** Further events that a batch covers, in addition to `eventId`. */
  @Column('bigint', { array: true, default: '{}' }) mergedEvents!: number[];
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
}

/** One try to send a delivery. */
@Entity('webhook_attempt')
export class WebhookAttemptEntity {
  /** Goes with its delivery by a trigger, which asks once for all of them. */
  @ManyToOne(() => WebhookDeliveryEntity, { createForeignKeyConstraints: false })
  @JoinColumn()
  delivery!: Relation<WebhookDeliveryEntity>;
  @PrimaryColumn('bigint') deliveryId!: number;
  /** From 1. */
  @PrimaryColumn('int') number!: number;
  @Column('timestamptz') startedAt!: Date;
  /** Milliseconds. */
  @Column('int') duration!: number;
  @Column('int', { nullable: true }) statusCode!: number | null;
  /** What went wrong and what to do, for a person; null for a success. */
  @Column('text', { nullable: true }) error!: string | null;
  /** Headers, the answer's body, addresses and times; null for attempts of a time before they were kept. */
  @Column('json', { nullable: true }) details!: object | null;
}
