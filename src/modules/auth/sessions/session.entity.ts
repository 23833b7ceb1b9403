import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { UserEntity } from '../../users/user.entity.js';

/** A log-in kept by a cookie. The key itself is not stored. */
@Entity('session')
export class SessionEntity {
  /** SHA-256 of the cookie's value, hex. */
  @PrimaryColumn('text') keyHash!: string;
  @ManyToOne(() => UserEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  user!: Relation<UserEntity>;
  @Column('int') @Index() userId!: number;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') @Index() expiryDate!: Date;
}
