import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  OneToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import { UserEntity } from '../../users/user.entity.js';
import { SessionEntity } from '../auth.entity.js';

/** A person of an identity provider, and their account. */
@Entity('sign_on_identity')
@Index(['issuer', 'subject'], { unique: true })
export class SignOnIdentityEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @Column('text') issuer!: string;
  /** The provider's id of the person, which never changes. */
  @Column('text') subject!: string;
  @ManyToOne(() => UserEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  user!: Relation<UserEntity>;
  @Column('int') @Index() userId!: number;
  @Column('timestamptz') createdDate!: Date;
}

/** A session that began at an identity provider. */
@Entity('sign_on_session')
export class SignOnSessionEntity {
  @OneToOne(() => SessionEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'session_key' })
  session!: Relation<SessionEntity>;
  @PrimaryColumn('text') sessionKey!: string;
  @ManyToOne(() => SignOnIdentityEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  identity!: Relation<SignOnIdentityEntity>;
  @Column('int') @Index() identityId!: number;
  /** The provider's id of the session; null if it has none. */
  @Column('text', { nullable: true }) sid!: string | null;
  /** The ID token, encrypted: the provider recognizes the session by it when the user logs out. */
  @Column('text') idToken!: string;
}
