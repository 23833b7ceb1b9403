import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the annotators of a task's replicas agree, as last calculated. */
export class Agreement1795648620000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table consensus_agreement (
        task_id integer not null,
        document jsonb not null,
        created_date timestamptz not null,
        constraint pk_consensus_agreement primary key (task_id),
        constraint fk_consensus_agreement_task_id foreign key (task_id) references task(id) on delete cascade
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table consensus_agreement');
  }
}
