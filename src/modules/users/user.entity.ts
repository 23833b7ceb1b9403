import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A person with an account. */
@Entity('app_user')
export class UserEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @Column('text') @Index({ unique: true }) username!: string;
  @Column('text', { default: '' }) firstName!: string;
  @Column('text', { default: '' }) lastName!: string;
  @Column('text', { default: '' }) email!: string;
  /** The person has verified the e-mail address, or an administrator has set it. */
  @Column('boolean', { default: false }) emailVerified!: boolean;
  /** Encoded password; starts with `!` when there is none. */
  @Column('text') password!: string;
  /** Names: admin, user, worker. */
  @Column('text', { array: true, default: '{}' }) groups!: string[];
  @Column('boolean', { default: false }) isStaff!: boolean;
  @Column('boolean', { default: false }) isSuperuser!: boolean;
  @Column('boolean', { default: true }) isActive!: boolean;
  /** When the account was disabled last. Links to log in or to set a password that are older do not work. */
  @Column('timestamptz', { nullable: true }) disabledDate!: Date | null;
  /** Null: unknown, the key is absent in responses. */
  @Column('boolean', { nullable: true, default: false }) hasAnalyticsAccess!: boolean | null;
  @Column('timestamptz', { nullable: true }) lastLogin!: Date | null;
  @Column('timestamptz') dateJoined!: Date;
}
