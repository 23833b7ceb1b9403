import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { UserEntity } from '../../users/user.entity.js';

/** A named Bearer token that its owner has created. */
@Entity('access_token')
export class AccessTokenEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @Column('text') name!: string;
  @ManyToOne(() => UserEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  owner!: Relation<UserEntity>;
  @Column('int') @Index() ownerId!: number;
  /** SHA-256 of the value, hex. */
  @Column('text') @Index({ unique: true }) keyHash!: string;
  @Column('boolean', { default: false }) readOnly!: boolean;
  @Column('timestamptz', { nullable: true }) expiryDate!: Date | null;
  @Column('timestamptz', { nullable: true }) lastUsedDate!: Date | null;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
}
