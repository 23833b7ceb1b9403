import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';

/** The media of one task: its parameters and, after processing, the numbering of its frames. */
@Entity('media_data')
export class MediaDataEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @Column('int', { nullable: true }) chunkSize!: number | null;
  /** Number of frames; 0 until processing is complete. */
  @Column('int', { default: 0 }) size!: number;
  @Column('int', { default: 50 }) imageQuality!: number;
  /** Absolute, like stopFrame and the step in frameFilter. */
  @Column('int', { default: 0 }) startFrame!: number;
  @Column('int', { default: 0 }) stopFrame!: number;
  @Column('text', { default: '' }) frameFilter!: string;
  @Column('text', { default: 'imageset' }) compressedChunkType!: string;
  @Column('text', { default: 'imageset' }) originalChunkType!: string;
  @Column('text', { default: 'cache' }) storageMethod!: string;
  @Column('text', { default: 'local' }) storage!: string;
  @Column('int', { nullable: true }) cloudStorageId!: number | null;
  @Column('text', { default: 'lexicographical' }) sortingMethod!: string;
  /** Task-relative, sorted. */
  @Column('int', { array: true, default: '{}' }) deletedFrames!: number[];
  /** Null, gt or gt_pool. */
  @Column('text', { nullable: true }) validationMode!: string | null;
  /** The rest of the validation layout: frames, disabled frames, honeypots per job. */
  @Column('jsonb', { nullable: true }) validationLayout!: unknown;
}

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
  /** Context images, relative to the data's folder. */
  @Column('text', { array: true, default: '{}' }) relatedFiles!: string[];
  /** For a honeypot: the absolute frame that it copies. */
  @Column('int', { nullable: true }) realFrame!: number | null;
}

/** A file that a client has uploaded, or is uploading in pieces, until its task is created. */
@Entity('media_upload')
export class MediaUploadEntity {
  /** Increases in upload order. */
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
