import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The transaction that an event was written in. Ids are given before the commit, so a later id may be seen first; by
 * transactions that have all ended, events have an order in which nothing comes in between any more.
 */
const CHANGES = `
  alter table outbox_event
    add column transaction_id bigint not null default (pg_current_xact_id()::text)::bigint;
  create index ix_outbox_event_transaction_id_id on outbox_event (transaction_id, id);
`;

export class EventStream1795299900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CHANGES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table outbox_event drop column transaction_id');
  }
}
