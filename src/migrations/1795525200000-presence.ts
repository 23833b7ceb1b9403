import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who has which job open. Rows expire within seconds, so a crash may empty the table (it is unlogged), and no foreign key
 * is needed: a deletion of jobs or users must not wait for this table.
 */
export class Presence1795525200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create unlogged table job_presence (
        job_id int not null,
        user_id int not null,
        window_id text not null,
        since_date timestamptz not null,
        expiry_date timestamptz not null,
        constraint pk_job_presence primary key (job_id, user_id, window_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table job_presence');
  }
}
