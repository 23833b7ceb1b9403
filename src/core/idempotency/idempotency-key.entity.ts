import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A POST that its sender named, and what it was answered. */
@Entity('idempotency_key')
export class IdempotencyKeyEntity {
  @PrimaryColumn('int') userId!: number;
  @PrimaryColumn('text') key!: string;
  /** SHA-256 over method, address and body. */
  @Column('text') fingerprint!: string;
  /** Something of the request has been committed: it must not run again. */
  @Column('boolean', { default: false }) committed!: boolean;
  /** Null while it runs, or when the process died before the answer was kept. */
  @Column('int', { nullable: true }) status!: number | null;
  @Column('jsonb', { nullable: true }) headers!: Record<string, string> | null;
  /** Sealed with the server's key: answers may tell secrets. */
  @Column('bytea', { nullable: true }) body!: Buffer | null;
  @Column('timestamptz') @Index() createdDate!: Date;
}
