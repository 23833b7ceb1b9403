import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A POST that its sender named, and what it was answered. */
@Entity('idempotency_key')
export class IdempotencyKeyEntity {
  /** 0 for requests without a log-in. */
  @PrimaryColumn('int') userId!: number;
  /** Without a log-in a keyed hash of the sender's address and the key. */
  @PrimaryColumn('text') key!: string;
  /** HMAC-SHA-256 over method, address and body. */
  @Column('text') fingerprint!: string;
  /** Something of the request has been committed: it must not run again. */
  @Column('boolean', { default: false }) committed!: boolean;
  /** Null while it runs, or when the process died before the answer was kept. */
  @Column('int', { nullable: true }) status!: number | null;
  /** Its headers as a line of JSON, then its body, sealed with the server's key: answers may tell secrets. */
  @Column('bytea', { nullable: true }) answer!: Buffer | null;
  /** The number of the process that handles it; null: unknown. */
  @Column('int', { nullable: true }) holder!: number | null;
  @Column('timestamptz') @Index() createdDate!: Date;
}
