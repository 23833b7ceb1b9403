import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** An object through time, or an element of such a skeleton; where it is say its tracked shapes. */
@Entity('annotation_track')
export class TrackEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  /** Only for the elements of a skeleton. */
  @Column('bigint', { nullable: true }) parentId!: number | null;
  @Column('int') @Index() jobId!: number;
  @Column('int') labelId!: number;
  /** Number in the task, as in all kinds. */
  @Column('int') frame!: number;
  @Column('int', { nullable: true }) groupId!: number | null;
  @Column('text') source!: string;
  /** The immutable ones. */
  @Column('text') attributes!: string;
}
