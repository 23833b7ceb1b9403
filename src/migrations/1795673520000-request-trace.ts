import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The trace of the HTTP request that queued a background request, so that its work appears in the same trace. */
export class RequestTrace1795673520000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table background_request add column traceparent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table background_request drop column traceparent');
  }
}
