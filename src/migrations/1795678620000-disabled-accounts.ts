import type { MigrationInterface, QueryRunner } from 'typeorm';
import { STAMP_ACCOUNTS } from './1795520300000-verified-emails.js';

/** When an account was disabled last: links to log in or to set a password that are older do not work again. */
export class DisabledAccounts1795678620000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table app_user add column disabled_date timestamptz;
      drop trigger stamp_table on app_user;
      ${STAMP_ACCOUNTS}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger stamp_table on app_user;
      alter table app_user drop column disabled_date;
      ${STAMP_ACCOUNTS}`);
  }
}
