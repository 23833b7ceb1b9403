import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  type Relation,
  OneToOne,
  PrimaryColumn,
} from 'typeorm';
import { UserEntity } from '../users/user.entity.js';

/** A named Bearer token that its owner has created. */
@Entity('access_token')
export class AccessTokenEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @Column('text') name!: string;
  @ManyToOne(() => UserEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  owner!: Relation<UserEntity>;
  @Column('int') @Index() ownerId!: number;
  /** SHA-256 of the value, hex. Of an imported token that has not been used yet: a text that no value matches. */
  @Column('text') @Index({ unique: true }) keyHash!: string;
  /** What values of an imported token begin with, until it is used for the first time. */
  @Column('text', { nullable: true }) @Index({ unique: true }) prefix!: string | null;
  /** Django's hash of an imported token, until it is used for the first time. */
  @Column('text', { nullable: true }) secretHash!: string | null;
  @Column('boolean', { default: false }) readOnly!: boolean;
  @Column('timestamptz', { nullable: true }) expiryDate!: Date | null;
  @Column('timestamptz', { nullable: true }) lastUsedDate!: Date | null;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
}

/** The one login token of a user. The key is derived from the nonce and the server's secret, so only its hash is kept. */
@Entity('api_token')
export class ApiTokenEntity {
  @OneToOne(() => UserEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  user!: Relation<UserEntity>;
  @PrimaryColumn('int') userId!: number;
  @Column('text') nonce!: string;
  /** SHA-256 of the key, hex. */
  @Column('text') @Index({ unique: true }) keyHash!: string;
  @Column('timestamptz') createdDate!: Date;
}

/** A login kept by a cookie. The key itself is not stored. */
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
