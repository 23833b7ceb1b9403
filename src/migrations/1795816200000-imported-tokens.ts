import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Access tokens of CVAT, which are found by their prefix and verified with Django's hash of their secret. */
export class ImportedTokens1795816200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table access_token add column prefix text, add column secret_hash text;
      create unique index ix_access_token_prefix on access_token (prefix)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table access_token drop column secret_hash, drop column prefix`);
  }
}
