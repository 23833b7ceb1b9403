import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { OrganizationEntity } from '../organizations/organization.entity.js';
import { UserEntity } from '../users/user.entity.js';

/** A function that agents execute. */
@Entity('native_function')
export class NativeFunctionEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @Column('text') name!: string;
  @Column('text', { default: '' }) description!: string;
  /** detector, interactor or tracker. */
  @Column('text') kind!: string;
  /** private or public. */
  @Column('text', { default: 'private' }) visibility!: string;
  /** What functions of this kind declare, with the wire names: a `FunctionSpec`. */
  @Column('jsonb') spec!: unknown;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  owner!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() ownerId!: number | null;
  @ManyToOne(() => OrganizationEntity, { onDelete: 'CASCADE', nullable: true })
  @JoinColumn()
  organization!: Relation<OrganizationEntity> | null;
  @Column('int', { nullable: true }) @Index() organizationId!: number | null;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
}
