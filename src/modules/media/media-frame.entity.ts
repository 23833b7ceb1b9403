import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { MediaDataEntity } from './media-data.entity.js';

/** One image of a task, or the one video (frame 0). */
@Entity('media_frame')
export class MediaFrameEntity {
  @ManyToOne(() => MediaDataEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  data!: Relation<MediaDataEntity>;
  @PrimaryColumn('int') dataId!: number;
  /** Position in the sorted source, absolute: start + k·step for the k-th frame of the task. */
  @PrimaryColumn('int') frame!: number;
  /** Relative to the data's folder. */
  @Column('text') path!: string;
  /** Pixels, after EXIF rotation. */
  @Column('int') width!: number;
  @Column('int') height!: number;
  /** Context images beside it, relative to the data's folder. */
  @Column('text', { array: true, default: '{}' }) relatedFiles!: string[];
  /** For a honeypot: the absolute frame that it copies. */
  @Column('int', { nullable: true }) realFrame!: number | null;
}
