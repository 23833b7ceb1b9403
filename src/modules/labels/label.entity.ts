import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { ProjectEntity } from '../projects/project.entity.js';
import { TaskEntity } from '../tasks/task.entity.js';

/** A class of objects, of a project or of a task without one; a skeleton's sublabels are its children. */
@Entity('label')
export class LabelEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @ManyToOne(() => ProjectEntity, { onDelete: 'CASCADE', nullable: true })
  @JoinColumn()
  project!: Relation<ProjectEntity> | null;
  @Column('int', { nullable: true }) @Index() projectId!: number | null;
  @ManyToOne(() => TaskEntity, { onDelete: 'CASCADE', nullable: true })
  @JoinColumn()
  task!: Relation<TaskEntity> | null;
  @Column('int', { nullable: true }) @Index() taskId!: number | null;
  @ManyToOne(() => LabelEntity, { onDelete: 'CASCADE', nullable: true })
  @JoinColumn()
  parent!: Relation<LabelEntity> | null;
  @Column('int', { nullable: true }) @Index() parentId!: number | null;
  @Column('text') name!: string;
  @Column('text', { default: '' }) color!: string;
  @Column('text', { default: 'any' }) type!: string;
  /** Drawing of a skeleton, with `data-label-id` on the sublabels. */
  @Column('text', { nullable: true }) svg!: string | null;
}

@Entity('attribute_spec')
@Index(['labelId', 'name'], { unique: true })
export class AttributeSpecEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @ManyToOne(() => LabelEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  label!: Relation<LabelEntity>;
  @Column('int') labelId!: number;
  @Column('text') name!: string;
  @Column('boolean') mutable!: boolean;
  @Column('text') inputType!: string;
  @Column('text', { default: '' }) defaultValue!: string;
  @Column('text', { array: true, default: '{}' }) values!: string[];
}
