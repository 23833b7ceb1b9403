import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A request with an idempotency key, and its response. */
@Entity('idempotency_key')
export class IdempotencyKeyEntity {
  /** 0 for anonymous requests. */
  @PrimaryColumn('int') userId!: number;
  /** For anonymous requests, a keyed hash of the IP address and the key. */
  @PrimaryColumn('text') key!: string;
  /** HMAC-SHA-256 over method, URL and body. */
  @Column('text') fingerprint!: string;
  /** Whether part of the request has been committed: it must not run again. */
  @Column('boolean', { default: false }) committed!: boolean;
  /** Null while the request runs, or if the process died before the response was stored. */
  @Column('int', { nullable: true }) status!: number | null;
  /**
   * The headers as a line of JSON followed by the body, encrypted with the server's key because responses may contain
   * secrets.
   */
  @Column('bytea', { nullable: true }) answer!: Buffer | null;
  /** The number of the process that handles it; null if unknown. */
  @Column('int', { nullable: true }) holder!: number | null;
  /** When the key was claimed, or its claim last renewed. */
  @Column('timestamptz') @Index() createdDate!: Date;
}
