import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
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
