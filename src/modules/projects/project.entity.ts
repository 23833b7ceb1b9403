import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { OrganizationEntity } from '../organizations/organization.entity.js';
import { StorageEntity } from '../storages/storage.entity.js';
import { UserEntity } from '../users/user.entity.js';

@Entity('project')
@Index(['ownerId', 'id'])
@Index(['assigneeId', 'id'])
@Index(['organizationId', 'id'])
@Index(['name', 'id'])
@Index(['status', 'id'])
@Index(['updatedDate', 'id'])
export class ProjectEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @Column('text') name!: string;
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
  @Column('text', { default: 'annotation' }) status!: string;
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
