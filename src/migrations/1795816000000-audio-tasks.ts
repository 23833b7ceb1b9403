import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Audio tasks have one dimension. */
export class AudioTasks1795816000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table task drop constraint ck_task_dimension;
      alter table task add constraint ck_task_dimension check (dimension in ('1d', '2d', '3d'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table task drop constraint ck_task_dimension;
      alter table task add constraint ck_task_dimension check (dimension in ('2d', '3d'))`);
  }
}
