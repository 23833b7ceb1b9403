import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which data folder and which secret the database belongs to: one row, made by the first start. */
@Entity('installation')
export class InstallationEntity {
  @PrimaryColumn('boolean', { default: true }) id!: boolean;
  /** The same as in the data folder. */
  @Column('uuid') folderId!: string;
  /** A key derived from the secret, in hexadecimal digits: it tells that the secret is another one, and nothing of it. */
  @Column('text') secretCheck!: string;
}
