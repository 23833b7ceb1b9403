import { Column, Entity, Index, JoinColumn, ManyToOne, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { MembershipEntity } from '../memberships/membership.entity.js';
import { UserEntity } from '../users/user.entity.js';

@Entity('invitation')
export class InvitationEntity {
  /** 64 random letters and digits. */
  @PrimaryColumn('text') key!: string;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  owner!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() ownerId!: number | null;
  @OneToOne(() => MembershipEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  membership!: Relation<MembershipEntity>;
  @Column('int') membershipId!: number;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz', { nullable: true }) sentDate!: Date | null;
}
