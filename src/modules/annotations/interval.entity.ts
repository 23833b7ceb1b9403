import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A label on a time range. */
@Entity('annotation_interval')
export class IntervalEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('int') @Index() jobId!: number;
  @Column('int') labelId!: number;
  @Column('int') start!: number;
  /** Exclusive; null: to the end. */
  @Column('int', { nullable: true }) stop!: number | null;
  @Column('int', { nullable: true }) groupId!: number | null;
  @Column('float8') score!: number;
  @Column('text') source!: string;
  @Column('text') attributes!: string;
}
