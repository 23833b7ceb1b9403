import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  type Relation,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { UserEntity } from '../users/user.entity.js';

/** A URL that stores the requests it receives, so that its owner can inspect them. */
@Entity('inspect_box')
export class InspectBoxEntity {
  /** Part of the URL; impossible to guess. */
  @PrimaryColumn('text') id!: string;
  @ManyToOne(() => UserEntity, { onDelete: 'CASCADE' })
  @JoinColumn()
  owner!: Relation<UserEntity>;
  @Column('int') @Index() ownerId!: number;
  /** Encrypted with the server's key; null: signatures are not verified. */
  @Column('text', { nullable: true }) secret!: string | null;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') @Index() expiryDate!: Date;
}

/** A request that a box received. */
@Entity('inspect_arrival')
@Index(['boxId', 'id'])
export class InspectArrivalEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @ManyToOne(() => InspectBoxEntity, { onDelete: 'CASCADE' })
  @JoinColumn()
  box!: Relation<InspectBoxEntity>;
  @Column('text') boxId!: string;
  @Column('timestamptz') receivedDate!: Date;
  @Column('json') headers!: Readonly<Record<string, string>>;
  /** UTF-8, truncated. */
  @Column('text') body!: string;
  /** Size of the complete body in bytes. */
  @Column('int') size!: number;
  /** The problem with each signature, or null if it is valid. The whole column is null if the box has no secret. */
  @Column('json', { nullable: true }) signatures!: {
    readonly standard: string | null;
    readonly body: string | null;
  } | null;
}
