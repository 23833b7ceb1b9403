import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Where a project or task takes its files from or puts its exports to. */
@Entity('storage')
export class StorageEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  /** local or cloud_storage. */
  @Column('text', { default: 'local' }) location!: string;
  @Column('int', { nullable: true }) cloudStorageId!: number | null;
}
