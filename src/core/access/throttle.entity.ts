import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How often something happened for a key within a window of time. Expired rows count as missing. */
@Entity('throttle_count')
export class ThrottleCountEntity {
  /** A hash of the name of the limit and of what is counted, because addresses and names of accounts are personal data. */
  @PrimaryColumn('text') key!: string;
  @Column('int') count!: number;
  @Column('timestamptz') windowEnd!: Date;
}
