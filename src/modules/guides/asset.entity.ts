import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { UserEntity } from '../users/user.entity.js';
import { GuideEntity } from './guide.entity.js';

/** An image or document that a guide shows. Its content is a file: see asset-files.ts. */
@Entity('asset')
export class AssetEntity {
  @PrimaryColumn('uuid') uuid!: string;
  @Column('text') filename!: string;
  @ManyToOne(() => GuideEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  guide!: Relation<GuideEntity>;
  @Column('int') @Index() guideId!: number;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  owner!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() ownerId!: number | null;
  @Column('timestamptz') createdDate!: Date;
}
