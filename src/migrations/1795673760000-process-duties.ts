import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which process does something that only one at a time may do. Rows expire within seconds, so a crash may empty the table (it
 * is unlogged).
 */
export class ProcessDuties1795673760000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create unlogged table process_duty (
        name text not null,
        owner uuid not null,
        holder int,
        expiry_date timestamptz not null,
        constraint pk_process_duty primary key (name)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table process_duty');
  }
}
