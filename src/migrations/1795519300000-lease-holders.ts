import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Leases, and idempotency keys of running requests, name the process that holds them, so that they end with it. */
export class LeaseHolders1795519300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table webhook_lease add column holder int;
      alter table background_request add column holder int;
      alter table idempotency_key add column holder int;
      create index ix_background_request_holder on background_request (holder) where holder is not null;
      create index ix_idempotency_key_holder on idempotency_key (holder) where holder is not null and status is null;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table idempotency_key drop column holder;
      alter table background_request drop column holder;
      alter table webhook_lease drop column holder;`);
  }
}
