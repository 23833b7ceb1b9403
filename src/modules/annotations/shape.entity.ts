import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A shape on one frame, or an element of a skeleton there. */
@Entity('annotation_shape')
@Index(['jobId', 'frame'])
@Index(['jobId', 'parentId'], { where: 'parent_id is not null' })
export class ShapeEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  /** Only for the elements of a skeleton. */
  @Column('bigint', { nullable: true }) parentId!: number | null;
  @Column('int') jobId!: number;
  @Column('int') labelId!: number;
  /** Number in the task, as in all kinds. */
  @Column('int') frame!: number;
  @Column('int', { nullable: true }) groupId!: number | null;
  @Column('int') zOrder!: number;
  @Column('boolean') occluded!: boolean;
  @Column('boolean') outside!: boolean;
  @Column('float8') rotation!: number;
  @Column('float8') score!: number;
  @Column('text') type!: string;
  @Column('text') source!: string;
  /** JSON text: a list of numbers, as it was sent. */
  @Column('text') points!: string;
  /** JSON text: `[{"spec_id": 1, "value": "red"}]`, as it was sent. */
  @Column('text') attributes!: string;
}
