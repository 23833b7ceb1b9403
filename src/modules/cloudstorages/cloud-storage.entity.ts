import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { OrganizationEntity } from '../organizations/organization.entity.js';
import { UserEntity } from '../users/user.entity.js';

/** A bucket on another server that tasks are created from and files are exported to. */
@Entity('cloud_storage')
export class CloudStorageEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @Column('text') providerType!: string;
  /** Name of the bucket. */
  @Column('text') resource!: string;
  @Column('text') displayName!: string;
  @Column('text') credentialsType!: string;
  /** Encrypted; null for anonymous access. */
  @Column('text', { nullable: true }) credentials!: string | null;
  /** `a=b&c=d`: region, endpoint_url, prefix. */
  @Column('text', { default: '' }) specificAttributes!: string;
  @Column('text', { default: '' }) description!: string;
  @Column('text', { array: true, default: '{}' }) manifests!: string[];
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  owner!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() ownerId!: number | null;
  @ManyToOne(() => OrganizationEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  organization!: Relation<OrganizationEntity> | null;
  @Column('int', { nullable: true }) @Index() organizationId!: number | null;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
}
