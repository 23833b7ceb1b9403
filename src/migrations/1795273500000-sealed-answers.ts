import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Answers that are kept for repetitions of a request are encrypted from now on: those of the last day, which are not, go.
 * Their requests are still not done twice.
 */
export class SealedAnswers1795273500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('update idempotency_key set status = null, headers = null, body = null');
  }

  /** What was encrypted cannot be read by an older server: its requests are refused, not done again. */
  async down(runner: QueryRunner): Promise<void> {
    await this.up(runner);
  }
}
