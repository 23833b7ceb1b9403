import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * What a client or the server reported, and what the audit log shows. The table is partitioned by `created_date`, by
 * month; `EventPartitions` creates and drops the partitions. Rows are never updated or deleted.
 */
@Entity('logged_event')
@Index(['eventTime', 'id'])
export class LoggedEventEntity {
  @PrimaryColumn('bigint', { generated: 'identity', generatedIdentity: 'BY DEFAULT' }) id!: number;
  /** When the row was written. */
  @PrimaryColumn('timestamptz') createdDate!: Date;
  /** When the event occurred, by the server's clock. */
  @Column('timestamptz') eventTime!: Date;
  /** `client`, `server`, or `audit` for rows that only the audit log shows. */
  @Column('text') source!: string;
  @Column('text') scope!: string;
  @Column('text', { nullable: true }) objName!: string | null;
  @Column('bigint', { nullable: true }) objId!: number | null;
  @Column('text', { nullable: true }) objVal!: string | null;
  @Column('bigint', { nullable: true }) count!: number | null;
  /** Milliseconds. */
  @Column('bigint', { default: 0 }) duration!: number;
  @Column('int', { nullable: true }) projectId!: number | null;
  @Column('int', { nullable: true }) taskId!: number | null;
  @Column('int', { nullable: true }) jobId!: number | null;
  @Column('int', { nullable: true }) userId!: number | null;
  @Column('text', { nullable: true }) userName!: string | null;
  @Column('text', { nullable: true }) userEmail!: string | null;
  @Column('int', { nullable: true }) orgId!: number | null;
  @Column('text', { nullable: true }) orgSlug!: string | null;
  /** JSON, as a client sent it or as the contract shows it. */
  @Column('text', { nullable: true }) payload!: string | null;
  /** The frames on which a save created or updated objects. */
  @Column('int4multirange', { nullable: true }) frames!: string | null;
  /** Whether the audit log shows it. */
  @Column('boolean', { default: false }) isAudit!: boolean;
  @Column('text', { nullable: true }) address!: string | null;
  /** How the request was authenticated: `session`, `token`, `bearer`, … */
  @Column('text', { nullable: true }) credential!: string | null;
  @Column('int', { nullable: true }) tokenId!: number | null;
  @Column('text', { nullable: true }) tokenName!: string | null;
  @Column('text', { nullable: true }) requestId!: string | null;
}
