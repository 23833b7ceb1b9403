import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The media of one task: parameters, and after processing the numbers that frames are counted by. */
@Entity('media_data')
export class MediaDataEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @Column('int', { nullable: true }) chunkSize!: number | null;
  /** Frames; 0 until processing has ended. */
  @Column('int', { default: 0 }) size!: number;
  @Column('int', { default: 50 }) imageQuality!: number;
  /** Absolute, as are stopFrame and the step in frameFilter. */
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
