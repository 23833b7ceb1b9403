import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Headers of kept answers are encrypted with the bodies, for they may hold cookies; and what tells requests apart is made
 * with the server's key. Nothing that was kept before can be compared any more: a day's keys are forgotten, either way.
 */
export class SealedHeaders1795313400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      delete from idempotency_key;
      alter table idempotency_key drop column headers;
      alter table idempotency_key rename column body to answer;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      delete from idempotency_key;
      alter table idempotency_key rename column answer to body;
      alter table idempotency_key add column headers jsonb;`);
  }
}
