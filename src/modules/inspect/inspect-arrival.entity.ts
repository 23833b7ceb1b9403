import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { InspectBoxEntity } from './inspect-box.entity.js';

/** A request that came to a box. */
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
  /** In UTF-8, cut at a size. */
  @Column('text') body!: string;
  /** Of the whole body, in bytes. */
  @Column('int') size!: number;
  /** What is wrong with each signature; null: it is right. The whole is null when nobody told the secret. */
  @Column('json', { nullable: true }) signatures!: {
    readonly standard: string | null;
    readonly body: string | null;
  } | null;
}
