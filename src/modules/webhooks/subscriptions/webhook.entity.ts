import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import type { Rule } from '../../../engines/filter/rule.js';
import { UserEntity } from '../../users/user.entity.js';

/**
 * A subscription. Project and organization are plain numbers: the webhook must outlive them until it has told of their
 * deletion. Until it is purged, a webhook whose project or organization is gone is hidden (`WEBHOOK_EXISTS`).
 */
@Entity('webhook')
export class WebhookEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @Column('text') targetUrl!: string;
  @Column('text', { default: '' }) description!: string;
  @Column('text') type!: string;
  @Column('text', { default: 'application/json' }) contentType!: string;
  /** Sealed with the server's key; null without a secret. */
  @Column('text', { nullable: true }) secret!: string | null;
  /** The one before, sealed: during a rotation receivers may still verify with it. */
  @Column('text', { nullable: true }) previousSecret!: string | null;
  @Column('timestamptz', { nullable: true }) previousSecretUntil!: Date | null;
  /** One delivery at a time, in the order of the events; one that is tried again holds up those after it. */
  @Column('boolean', { default: false }) ordered!: boolean;
  /** Seconds before each attempt; null: the server's setting. So for the three below, but for the unit. */
  @Column('int', { array: true, nullable: true }) retrySchedule!: number[] | null;
  /** Seconds to the first byte of the answer, and between two pieces of it. */
  @Column('int', { nullable: true }) timeout!: number | null;
  /** Deliveries begun in a second. */
  @Column('int', { nullable: true }) rateLimit!: number | null;
  /** Deliveries under way at a time. */
  @Column('int', { nullable: true }) maxConcurrency!: number | null;
  @Column('json', { default: {} }) customHeaders!: Readonly<Record<string, string>>;
  /** JSON Logic over the payload; null: every event of the list is wanted. */
  @Column('json', { nullable: true }) filter!: Rule | null;
  /** full or thin. */
  @Column('text', { default: 'full' }) payload!: string;
  /** Seconds within which saves of one object become one delivery; null: they do not. */
  @Column('int', { nullable: true }) batchWindow!: number | null;
  /** Failed attempts since the last success, and the time of the first of them. */
  @Column('int', { default: 0 }) failures!: number;
  @Column('timestamptz', { nullable: true }) failingSince!: Date | null;
  /** Nothing is sent before this moment, because too much has failed. */
  @Column('timestamptz', { nullable: true }) pausedUntil!: Date | null;
  /** Why the server switched it off; null when a person did. */
  @Column('text', { nullable: true }) disabledReason!: string | null;
  @Column('boolean', { default: true }) isActive!: boolean;
  /** Events of a time when it was switched off are not for it, whenever they are dispatched. */
  @Column('timestamptz') activeSince!: Date;
  @Column('boolean', { default: true }) enableSsl!: boolean;
  /** Of its payloads. */
  @Column('text') apiVersion!: string;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  owner!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() ownerId!: number | null;
  @Column('int', { nullable: true }) @Index() projectId!: number | null;
  @Column('int', { nullable: true }) @Index() organizationId!: number | null;
  /** Sorted, without repetitions. */
  @Column('text', { array: true }) events!: string[];
  /** Of the newest delivery that has been attempted. */
  @Column('bigint', { nullable: true }) lastDeliveryId!: number | null;
  @Column('int', { nullable: true }) lastStatus!: number | null;
  @Column('timestamptz', { nullable: true }) lastDeliveryDate!: Date | null;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
  /** Deleted by a call; the rows go in the background, because there may be a million deliveries. */
  @Column('timestamptz', { nullable: true }) deletedDate!: Date | null;
}
