import { Entity, PrimaryColumn } from 'typeorm';

/** A folder whose files `move-media` has copied and compared. Empty unless files are being moved. */
@Entity('media_moved')
export class MediaMovedEntity {
  /** As a key with a slash at its end: `media/12/`. */
  @PrimaryColumn('text') folder!: string;
}
