import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { IssueEntity } from '../issues/issue.entity.js';
import { UserEntity } from '../users/user.entity.js';

@Entity('comment')
export class CommentEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @ManyToOne(() => IssueEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  issue!: Relation<IssueEntity>;
  @Column('int') @Index() issueId!: number;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  owner!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() ownerId!: number | null;
  @Column('text', { default: '' }) message!: string;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
}
