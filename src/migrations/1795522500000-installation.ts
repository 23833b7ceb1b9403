import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records which data folder and which secret the database belongs to. */
export class Installation1795522500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table installation (
        id boolean not null default true,
        folder_id uuid not null,
        secret_check text not null,
        constraint pk_installation primary key (id),
        constraint ck_installation_single check (id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table installation');
  }
}
