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

/** The payload of an event in one API version and form, without its last key, the id of the webhook. */
@Entity('webhook_payload')
export class WebhookPayloadEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' }) id!: number;
  @Column('text') head!: string;
}

/** A process that can hold leases on deliveries. */
@Entity('webhook_lease_holder')
export class WebhookLeaseHolderEntity {
  @PrimaryColumn('int') holder!: number;
}

/**
 * One event for one webhook, with the lease of the worker that sends it. The payload is immutable once the delivery can
 * be sent. Partial indexes (see the migrations) find a webhook's unfinished deliveries by time, and the delivery of an
 * event to a webhook.
 */
@Entity('webhook_delivery')
@Index(['webhookId', 'updatedDate'])
export class WebhookDeliveryEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  /** A trigger deletes deliveries with their webhook, and attempts with their delivery. */
  @ManyToOne(() => WebhookEntity, { createForeignKeyConstraints: false })
  @JoinColumn()
  webhook!: Relation<WebhookEntity>;
  @Column('int') webhookId!: number;
  /** Null for pings. */
  @Column('bigint', { nullable: true }) eventId!: number | null;
  @Column('text') event!: string;
  /** The `webhook-id` header. All attempts and redeliveries share it, so that receivers can detect duplicates. */
  @Column('uuid') messageId!: string;
  /** Set for pings, imported deliveries and merged saves, whose payload no other delivery shares. */
  @Column('text', { nullable: true }) payload!: string | null;
  /** The shared payload in `webhook_payload`. A trigger deletes it with its last delivery. */
  @Column('bigint', { nullable: true }) payloadId!: number | null;
  @Column('text', { default: '' }) changedFields!: string;
  @Column('boolean', { default: false }) redelivery!: boolean;
  /** pending, delivered or failed. */
  @Column('text') status!: string;
  /** When the next attempt is due; null when none follows. Unchanged while an attempt is in progress. */
  @Column('timestamptz', { nullable: true }) nextAttemptAt!: Date | null;
  /** Identifies the claim of the sending worker. Another worker may claim the delivery after `leaseEnd`. */
  @Column('uuid', { nullable: true }) lease!: string | null;
  @Column('timestamptz', { nullable: true }) leaseEnd!: Date | null;
  /** The number of the worker's process. The lease ends when that process dies. Null if unknown. */
  @Column('int', { nullable: true }) holder!: number | null;
  @Column('int', { default: 0 }) attempts!: number;
  /** This and the next three columns describe the last attempt. */
  @Column('int', { nullable: true }) statusCode!: number | null;
  @Column('text', { default: '' }) response!: string;
  /** Milliseconds. */
  @Column('int', { nullable: true }) requestDuration!: number | null;
  /** Set for a batch: later saves of the object are merged into it while it is pending. A partial index finds it. */
  @Column('text', { nullable: true }) batchKey!: string | null;
  /** Further events that a batch covers, in addition to `eventId`. */
  @Column('bigint', { array: true, default: '{}' }) mergedEvents!: number[];
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
}

/** One attempt to send a delivery. */
@Entity('webhook_attempt')
export class WebhookAttemptEntity {
  /** A trigger deletes attempts with their delivery, in one statement for all of them. */
  @ManyToOne(() => WebhookDeliveryEntity, { createForeignKeyConstraints: false })
  @JoinColumn()
  delivery!: Relation<WebhookDeliveryEntity>;
  @PrimaryColumn('bigint') deliveryId!: number;
  /** Starts at 1. */
  @PrimaryColumn('int') number!: number;
  @Column('timestamptz') startedAt!: Date;
  /** Milliseconds. */
  @Column('int') duration!: number;
  @Column('int', { nullable: true }) statusCode!: number | null;
  /** Explains what went wrong and how to fix it; null for a success. */
  @Column('text', { nullable: true }) error!: string | null;
  /** Headers, response body, addresses and timings; null for attempts recorded before these were stored. */
  @Column('json', { nullable: true }) details!: object | null;
}
