import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A window in which a user has a job open. The server process that holds its stream extends the expiry date. */
@Entity('job_presence')
export class PresenceEntity {
  @PrimaryColumn('int') jobId!: number;
  @PrimaryColumn('int') userId!: number;
  /** Chosen by the client. */
  @PrimaryColumn('text') windowId!: string;
  @Column('timestamptz') sinceDate!: Date;
  @Column('timestamptz') expiryDate!: Date;
}
