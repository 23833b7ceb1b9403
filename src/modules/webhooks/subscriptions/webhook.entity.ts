import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import type { Rule } from '../../../engines/filter/rule.js';
import { UserEntity } from '../../users/user.entity.js';

/**
 * A subscription. Project and organization are plain numbers, because the webhook must outlive them until their
 * deletion events are delivered. Until it is purged, a webhook whose project or organization is deleted is hidden
 * (`WEBHOOK_EXISTS`).
 */
@Entity('webhook')
export class WebhookEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @Column('text') targetUrl!: string;
  @Column('text', { default: '' }) description!: string;
  @Column('text') type!: string;
  @Column('text', { default: 'application/json' }) contentType!: string;
  /** Encrypted with the server's key; null without a secret. */
  @Column('text', { nullable: true }) secret!: string | null;
  /** The previous secret, encrypted. Receivers may still verify with it during a rotation. */
  @Column('text', { nullable: true }) previousSecret!: string | null;
  @Column('timestamptz', { nullable: true }) previousSecretUntil!: Date | null;
  /** Sends one delivery at a time, in the order of the events. A delivery that is retried blocks those after it. */
  @Column('boolean', { default: false }) ordered!: boolean;
  /** Seconds before each attempt. Null here and in the next three columns: the server's setting. */
  @Column('int', { array: true, nullable: true }) retrySchedule!: number[] | null;
  /** Seconds to the first byte of the response, and between two parts of it. */
  @Column('int', { nullable: true }) timeout!: number | null;
  /** Maximum number of deliveries started per second. */
  @Column('int', { nullable: true }) rateLimit!: number | null;
  /** Maximum number of deliveries in flight. */
  @Column('int', { nullable: true }) maxConcurrency!: number | null;
  @Column('json', { default: {} }) customHeaders!: Readonly<Record<string, string>>;
  /** JSON Logic over the payload; null: no filter. */
  @Column('json', { nullable: true }) filter!: Rule | null;
  /** full or thin. */
  @Column('text', { default: 'full' }) payload!: string;
  /** Seconds within which saves of one object are merged into one delivery; null: no merging. */
  @Column('int', { nullable: true }) batchWindow!: number | null;
  /** Failed attempts since the last success, and the time of the first of them. */
  @Column('int', { default: 0 }) failures!: number;
  @Column('timestamptz', { nullable: true }) failingSince!: Date | null;
  /** No deliveries are sent before this time, because too many have failed. */
  @Column('timestamptz', { nullable: true }) pausedUntil!: Date | null;
  /** Why the server disabled the webhook; null if a user did. */
  @Column('text', { nullable: true }) disabledReason!: string | null;
  @Column('boolean', { default: true }) isActive!: boolean;
  /** The webhook does not receive events that occurred while it was disabled, whenever they are dispatched. */
  @Column('timestamptz') activeSince!: Date;
  @Column('boolean', { default: true }) enableSsl!: boolean;
  /** API version of its payloads. */
  @Column('text') apiVersion!: string;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  owner!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() ownerId!: number | null;
  @Column('int', { nullable: true }) @Index() projectId!: number | null;
  @Column('int', { nullable: true }) @Index() organizationId!: number | null;
  /** Sorted, without duplicates. */
  @Column('text', { array: true }) events!: string[];
  /** The newest delivery that has been attempted. */
  @Column('bigint', { nullable: true }) lastDeliveryId!: number | null;
  @Column('int', { nullable: true }) lastStatus!: number | null;
  @Column('timestamptz', { nullable: true }) lastDeliveryDate!: Date | null;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
  /** Set by the delete request. Rows are deleted in the background, because there may be a million deliveries. */
  @Column('timestamptz', { nullable: true }) deletedDate!: Date | null;
}
