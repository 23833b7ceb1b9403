import { Column, Entity, JoinColumn, OneToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { ProjectEntity } from '../projects/project.entity.js';
import { TaskEntity } from '../tasks/task.entity.js';

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
