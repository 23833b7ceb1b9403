import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Headers of stored responses are encrypted like bodies, because they may contain cookies, and request fingerprints are
 * computed with the server's key. Earlier ones can no longer be compared, so both directions delete a day's keys.
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
