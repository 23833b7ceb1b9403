import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { LabelEntity } from './label.entity.js';

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
