import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * From now on, responses stored for repeated requests are encrypted. The unencrypted ones of the last day are deleted;
 * their requests are still not executed twice.
 */
export class SealedAnswers1795273500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('update idempotency_key set status = null, headers = null, body = null');
  }

  /** An older server cannot read encrypted responses: it rejects repeated requests instead of executing them again. */
  async down(runner: QueryRunner): Promise<void> {
    await this.up(runner);
  }
}
