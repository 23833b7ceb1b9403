import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The trace (W3C) of the request that caused an event, which receivers get. */
export class EventTrace1795300800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table outbox_event add column traceparent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table outbox_event drop column traceparent');
  }
}
