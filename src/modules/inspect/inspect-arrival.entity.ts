import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { InspectBoxEntity } from './inspect-box.entity.js';

/** A request that a box received. */
@Entity('inspect_arrival')
@Index(['boxId', 'id'])
export class InspectArrivalEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @ManyToOne(() => InspectBoxEntity, { onDelete: 'CASCADE' })
  @JoinColumn()
  box!: Relation<InspectBoxEntity>;
  @Column('text') boxId!: string;
  @Column('timestamptz') receivedDate!: Date;
  @Column('json') headers!: Readonly<Record<string, string>>;
  /** UTF-8, truncated. */
  @Column('text') body!: string;
  /** Size of the complete body in bytes. */
  @Column('int') size!: number;
  /** The problem with each signature, or null if it is valid. The whole column is null if the box has no secret. */
  @Column('json', { nullable: true }) signatures!: {
    readonly standard: string | null;
    readonly body: string | null;
  } | null;
}
