import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { UserEntity } from '../users/user.entity.js';

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
