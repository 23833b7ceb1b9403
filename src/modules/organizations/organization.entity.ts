import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { UserEntity } from '../users/user.entity.js';

@Entity('organization')
export class OrganizationEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @Column('text') @Index({ unique: true }) slug!: string;
  @Column('text') name!: string;
  @Column('text', { default: '' }) description!: string;
  @Column('jsonb', { default: {} }) contact!: unknown;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  owner!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() ownerId!: number | null;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
}
