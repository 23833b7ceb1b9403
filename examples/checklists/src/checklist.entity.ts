import { ProjectEntity } from 'cairn/extension';
import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';

export interface ChecklistItem {
  readonly text: string;
  readonly done: boolean;
}

/** What to check before a project counts as completed. */
@Entity('checklist')
export class ChecklistEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @ManyToOne(() => ProjectEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  project!: Relation<ProjectEntity>;
  @Column('int') @Index() projectId!: number;
  @Column('text') title!: string;
  @Column('jsonb', { default: '[]' }) items!: ChecklistItem[];
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
}
