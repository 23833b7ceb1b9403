import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which process does something that only one process at a time may do. */
@Entity('process_duty')
export class ProcessDutyEntity {
  @PrimaryColumn('text') name!: string;
  /** A random id of the process. */
  @Column('uuid') owner!: string;
  /** The number of the process; null if nothing shows that it is alive. */
  @Column('int', { nullable: true }) holder!: number | null;
  /** When another process may take over. */
  @Column('timestamptz') expiryDate!: Date;
}
