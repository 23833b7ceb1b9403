import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the limits of log-ins, anonymous requests and e-mails have counted, for all servers. Rows expire within minutes or
 * hours, so a crash may empty the table (it is unlogged).
 */
export class ThrottleCounts1795673700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create unlogged table throttle_count (
        key text not null,
        count int not null,
        window_end timestamptz not null,
        constraint pk_throttle_count primary key (key)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table throttle_count');
  }
}
