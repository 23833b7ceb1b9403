import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import type { Role } from '../../shared/policy/actor.js';
import { OrganizationEntity } from '../organizations/organization.entity.js';
import { UserEntity } from '../users/user.entity.js';

@Entity('membership')
@Index(['organizationId', 'userId'], { unique: true })
export class MembershipEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @ManyToOne(() => UserEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  user!: Relation<UserEntity>;
  @Column('int') @Index() userId!: number;
  @ManyToOne(() => OrganizationEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  organization!: Relation<OrganizationEntity>;
  @Column('int') organizationId!: number;
  @Column('boolean', { default: false }) isActive!: boolean;
  @Column('timestamptz', { nullable: true }) joinedDate!: Date | null;
  @Column('text') role!: Role;
}
