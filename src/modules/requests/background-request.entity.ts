import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import type { RequestOrigin } from '../../shared/policy/actor.js';
import { UserEntity } from '../users/user.entity.js';

/**
 * Work that continues after the HTTP request that queued it. If a worker dies, its row becomes available when the lease
 * expires.
 */
@Entity('background_request')
export class BackgroundRequestEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) rowId!: number;
  /** The id on the wire: `action=create&target=task&target_id=5`. */
  @Column('text') @Index({ unique: true }) id!: string;
  /** `create:task`, `export:dataset`, …: selects the handler. */
  @Column('text') type!: string;
  @Column('text') target!: string;
  @Column('text', { default: 'queued' }) status!: string;
  @Column('text', { default: '' }) message!: string;
  @Column('float8', { default: 0 }) progress!: number;
  @Column('jsonb') parameters!: unknown;
  @Column('int', { nullable: true }) projectId!: number | null;
  @Column('int', { nullable: true }) taskId!: number | null;
  @Column('int', { nullable: true }) jobId!: number | null;
  @Column('int', { nullable: true }) organizationId!: number | null;
  @Column('text', { nullable: true }) format!: string | null;
  @Column('text', { nullable: true }) subresource!: string | null;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  owner!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() ownerId!: number | null;
  /** The base URL that the caller used, for URLs in results and events. */
  @Column('text', { default: '' }) baseUrl!: string;
  @Column('text', { nullable: true }) resultFile!: string | null;
  @Column('int', { nullable: true }) resultId!: number | null;
  /** The HTTP request that queued it. */
  @Column('json', { nullable: true }) origin!: RequestOrigin | null;
  /** The span of that HTTP request, if traces are exported. */
  @Column('text', { nullable: true }) traceparent!: string | null;
  /** What an import created and left out. */
  @Column('jsonb', { nullable: true }) report!: unknown;
  @Column('int', { default: 0 }) attempts!: number;
  @Column('text', { nullable: true }) leasedBy!: string | null;
  /** The number of the process that holds the lease, which ends with the process; null: unknown. */
  @Column('int', { nullable: true }) holder!: number | null;
  @Column('timestamptz', { nullable: true }) leaseEnd!: Date | null;
  /** The owner cancelled the request: the worker stops, undoes its work and removes the row. */
  @Column('boolean', { default: false }) cancelled!: boolean;
  /** Why it must not be tried again, since it has ended its process: the worker undoes its work, and it fails. */
  @Column('text', { nullable: true }) verdict!: string | null;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz', { nullable: true }) startedDate!: Date | null;
  @Column('timestamptz', { nullable: true }) finishedDate!: Date | null;
  @Column('timestamptz', { nullable: true }) expiryDate!: Date | null;
}
