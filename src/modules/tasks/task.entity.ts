import { Column, Entity, Index, JoinColumn, ManyToOne, OneToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { MediaDataEntity } from '../media/media.entity.js';
import { OrganizationEntity } from '../organizations/organization.entity.js';
import { ProjectEntity } from '../projects/project.entity.js';
import { StorageEntity } from '../storages/storage.entity.js';
import { UserEntity } from '../users/user.entity.js';

@Entity('task')
@Index(['projectId', 'id'])
@Index(['ownerId', 'id'])
@Index(['assigneeId', 'id'])
@Index(['organizationId', 'id'])
@Index(['name', 'id'])
@Index(['status', 'id'])
@Index(['subset', 'id'])
@Index(['mode', 'id'])
@Index(['dimension', 'id'])
@Index(['bugTracker', 'id'])
@Index(['updatedDate', 'id'])
export class TaskEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @Column('text') name!: string;
  @ManyToOne(() => ProjectEntity, { onDelete: 'CASCADE', nullable: true })
  @JoinColumn()
  project!: Relation<ProjectEntity> | null;
  @Column('int', { nullable: true }) projectId!: number | null;
  /** Empty before data, then annotation (images) or interpolation (video). */
  @Column('text', { default: '' }) mode!: string;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  owner!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) ownerId!: number | null;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  assignee!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) assigneeId!: number | null;
  @Column('timestamptz', { nullable: true }) assigneeUpdatedDate!: Date | null;
  @Column('text', { default: '' }) bugTracker!: string;
  @Column('int', { nullable: true }) overlap!: number | null;
  @Column('int', { default: 0 }) segmentSize!: number;
  @Column('text', { default: 'annotation' }) status!: string;
  @OneToOne(() => MediaDataEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  data!: Relation<MediaDataEntity> | null;
  @Column('int', { nullable: true }) dataId!: number | null;
  @Column('text', { default: '2d' }) dimension!: string;
  @Column('text', { default: '' }) subset!: string;
  @Column('int', { default: 0 }) consensusReplicas!: number;
  @ManyToOne(() => OrganizationEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  organization!: Relation<OrganizationEntity> | null;
  @Column('int', { nullable: true }) organizationId!: number | null;
  @ManyToOne(() => StorageEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  sourceStorage!: Relation<StorageEntity> | null;
  @Column('int', { nullable: true }) sourceStorageId!: number | null;
  @ManyToOne(() => StorageEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  targetStorage!: Relation<StorageEntity> | null;
  @Column('int', { nullable: true }) targetStorageId!: number | null;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
}
