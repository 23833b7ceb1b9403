import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Leases move to their own table, so that a lease writes a few bytes and does not rewrite the delivery, which is long
 * and has many indexes. The table is unlogged: a crash of the database ends all leases, as a lease should. Deliveries
 * that are leased now become due when their lease would have expired.
 */
export class WebhookLease1795316400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create unlogged table webhook_lease (
        delivery_id bigint not null,
        lease uuid not null,
        ends_at timestamptz not null,
        constraint pk_webhook_lease primary key (delivery_id)
      );
      alter table webhook_delivery drop constraint ck_webhook_delivery_status;
      update webhook_delivery set status = 'pending' where status = 'leased';
      alter table webhook_delivery drop column lease;
      alter table webhook_delivery add constraint ck_webhook_delivery_status check (
        status in ('pending', 'delivered', 'failed') and (status = 'pending') = (next_attempt_at is not null));`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table webhook_lease;
      alter table webhook_delivery drop constraint ck_webhook_delivery_status;
      alter table webhook_delivery add column lease uuid;
      alter table webhook_delivery add constraint ck_webhook_delivery_status check (
        (status in ('pending', 'leased')) = (next_attempt_at is not null) and (status = 'leased') = (lease is not null));`);
  }
}
