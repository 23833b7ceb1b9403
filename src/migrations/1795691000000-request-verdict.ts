import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why a background request that has ended its process is not tried again. */
export class RequestVerdict1795691000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table background_request add column verdict text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table background_request drop column verdict');
  }
}
