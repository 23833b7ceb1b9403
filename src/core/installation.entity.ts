import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The data folder and the secret that the database belongs to: one row, created by the first start. */
@Entity('installation')
export class InstallationEntity {
  @PrimaryColumn('boolean', { default: true }) id!: boolean;
  /** The id that is also stored in the data folder. */
  @Column('uuid') folderId!: string;
  /** A key derived from the secret, in hexadecimal. It shows whether the secret has changed, without revealing it. */
  @Column('text') secretCheck!: string;
}
