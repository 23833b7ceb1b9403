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

/**
 * One event for one webhook. The bytes to send are fixed when it is made. Partial indexes (see the migration) find the
 * unfinished ones of a webhook by time, and the delivery of an event to a webhook.
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
  @Column('text') payload!: string;
  @Column('text', { default: '' }) changedFields!: string;
  @Column('boolean', { default: false }) redelivery!: boolean;
  /** pending, delivered, failed. */
  @Column('text') status!: string;
  /** When it is due; null when nothing more will be sent. Whether somebody is sending it, its lease tells. */
  @Column('timestamptz', { nullable: true }) nextAttemptAt!: Date | null;
  @Column('int', { default: 0 }) attempts!: number;
  /** Of the last attempt, like the three below. */
  @Column('int', { nullable: true }) statusCode!: number | null;
  @Column('text', { default: '' }) response!: string;
  /** Milliseconds. */
  @Column('int', { nullable: true }) requestDuration!: number | null;
  /** Of a batch: more saves of the object are merged into it as long as it waits. A partial index finds it. */
  @Column('text', { nullable: true }) batchKey!: string | null;
  /** Events beside the one of `eventId` that a batch tells of. */
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
