import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A file to be removed when no backup is being made. */
@Entity('held_removal')
export class HeldRemovalEntity {
  /** With a slash at its end: all files of a folder. */
  @PrimaryColumn('text') key!: string;
  @Column('timestamptz') createdDate!: Date;
}
