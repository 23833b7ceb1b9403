import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The data folder and the secret that the database belongs to: one row, created by the first start. */
@Entity('installation')
export class InstallationEntity {
  @PrimaryColumn('boolean', { default: true }) id!: boolean;
  /** The id that is also stored in the data folder. */
  @Column('uuid') folderId!: string;
  /** A key derived from the secret, in hexadecimal. It shows whether the secret has changed, without revealing it. */
  @Column('text') secretCheck!: string;
  /** Where media and other files are: `s3://bucket/prefix`, or empty for the data folder. */
  @Column('text', { default: '' }) mediaUrl!: string;
  /** Where they are being moved; null: nowhere. */
  @Column('text', { nullable: true }) mediaTarget!: string | null;
  /** Whether new files are written to the target. Before that, all processes must know that it is read. */
  @Column('boolean', { default: false }) mediaWritesTarget!: boolean;
}
