import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A delivery that a worker has taken: nobody else sends it until the lease ends. Without a foreign key, which would cost
 * more than the row; one that has ended means nothing. The table is not logged (see the migration).
 */
@Entity('webhook_lease')
export class WebhookLeaseEntity {
  @PrimaryColumn('bigint') deliveryId!: number;
  /** Whose it is: only that worker gives it back. */
  @Column('uuid') lease!: string;
  @Column('timestamptz') endsAt!: Date;
  /** The number of its process, with which the lease ends; null: unknown. */
  @Column('int', { nullable: true }) holder!: number | null;
}
