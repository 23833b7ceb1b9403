import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';

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
