import {
  Column,
  Entity,
  JoinColumn,
  OneToOne,
  PrimaryGeneratedColumn,
  type Relation,
  Index,
  ManyToOne,
  PrimaryColumn,
} from 'typeorm';
import { ProjectEntity } from '../projects/project.entity.js';
import { TaskEntity } from '../tasks/task.entity.js';
import { UserEntity } from '../users/user.entity.js';

/** The annotation guide of a project or task. */
@Entity('guide')
export class GuideEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @OneToOne(() => TaskEntity, { onDelete: 'CASCADE', nullable: true })
  @JoinColumn()
  task!: Relation<TaskEntity> | null;
  @Column('int', { nullable: true }) taskId!: number | null;
  @OneToOne(() => ProjectEntity, { onDelete: 'CASCADE', nullable: true })
  @JoinColumn()
  project!: Relation<ProjectEntity> | null;
  @Column('int', { nullable: true }) projectId!: number | null;
  @Column('text', { default: '' }) markdown!: string;
  /** Readable without authentication. */
  @Column('boolean', { default: false }) isPublic!: boolean;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
}

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
