import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an import created and left out is stored with its request. */
export class ImportReports1795526100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table background_request add column report jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table background_request drop column report');
  }
}
