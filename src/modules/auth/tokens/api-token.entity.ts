import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { UserEntity } from '../../users/user.entity.js';

/** The one log-in token of a user. The key is derived from the nonce and the server's secret, so only its hash is kept. */
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
