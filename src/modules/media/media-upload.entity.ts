import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { MediaDataEntity } from './media-data.entity.js';

/** A file that a client has sent, or is sending in pieces, until the task is made of it. */
@Entity('media_upload')
export class MediaUploadEntity {
  /** In the order of sending. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  /** Name of the stored file in the folder of uploads. */
  @Column('uuid') @Index({ unique: true }) fileId!: string;
  @ManyToOne(() => MediaDataEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  data!: Relation<MediaDataEntity>;
  @Column('int') @Index() dataId!: number;
  @Column('int') userId!: number;
  /** Path within the task's data, unique among the complete files of a task (a partial index, see the migration). */
  @Column('text') name!: string;
  @Column('bigint') length!: number;
  @Column('timestamptz') createdDate!: Date;
  /** Null while pieces are missing. */
  @Column('timestamptz', { nullable: true }) completedDate!: Date | null;
}
