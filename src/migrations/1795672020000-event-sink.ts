import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Events that a message broker has not stored yet. The relay adds them, and the sender removes what the broker has
 * acknowledged, so an index of ids is all there is.
 */
export class EventSink1795672020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table event_sink (
        id int not null default 1,
        name uuid not null default gen_random_uuid(),
        lease uuid,
        lease_end timestamptz,
        holder int,
        sent_at timestamptz,
        failing_since timestamptz,
        error text,
        constraint pk_event_sink primary key (id),
        constraint ck_event_sink_id check (id = 1)
      );
      create table event_sink_pending (
        event_id bigint not null,
        constraint pk_event_sink_pending primary key (event_id)
      );`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table event_sink_pending;
      drop table event_sink;`);
  }
}
