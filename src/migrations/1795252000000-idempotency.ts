import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Responses stored for `Idempotency-Key`. */
export class Idempotency1795252000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table idempotency_key (
        user_id integer not null,
        key text not null,
        fingerprint text not null,
        committed boolean not null default false,
        status integer,
        headers jsonb,
        body bytea,
        created_date timestamptz not null,
        constraint pk_idempotency_key primary key (user_id, key)
      );
      create index ix_idempotency_key_created_date on idempotency_key (created_date);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table idempotency_key');
  }
}
