import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A table of ids holds the events to relay: marking an event rewrote the entire event. */
export class OutboxPending1795312800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table outbox_pending (event_id bigint not null, constraint pk_outbox_pending primary key (event_id));
      insert into outbox_pending select id from outbox_event where relayed_at is null;
      alter table outbox_event drop column relayed_at;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table outbox_event add column relayed_at timestamptz;
      update outbox_event set relayed_at = occurred_at where id not in (select event_id from outbox_pending);
      create index ix_outbox_event_pending on outbox_event (id) where relayed_at is null;
      drop table outbox_pending;`);
  }
}
