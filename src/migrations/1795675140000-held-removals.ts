import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files that could not be removed because a backup was being made. */
export class HeldRemovals1795675140000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table held_removal (
        key text not null,
        created_date timestamptz not null,
        constraint pk_held_removal primary key (key))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table held_removal');
  }
}
