import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { UserEntity } from '../users/user.entity.js';

/** An address at which a person looks at what arrives. */
@Entity('inspect_box')
export class InspectBoxEntity {
  /** Part of the address; nobody can guess it. */
  @PrimaryColumn('text') id!: string;
  @ManyToOne(() => UserEntity, { onDelete: 'CASCADE' })
  @JoinColumn()
  owner!: Relation<UserEntity>;
  @Column('int') @Index() ownerId!: number;
  /** Sealed with the server's key; null: signatures are not judged. */
  @Column('text', { nullable: true }) secret!: string | null;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') @Index() expiryDate!: Date;
}
