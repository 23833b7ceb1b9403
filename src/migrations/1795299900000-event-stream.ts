import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The transaction that wrote an event. Ids are assigned before the commit, so a later id may become visible first.
 * Sorted by transaction, and limited to transactions before the oldest running one, events have a final order.
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
