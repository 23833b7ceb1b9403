import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The number of rows of the event log by organization, so that the audit log need not be counted for each page. Rows of
 * one organization add up. As with the tally of jobs, one transaction at a time uses a row, and another row is added if
 * all are in use, so that writers never wait for each other. Rows are only inserted, so there is one trigger; whoever
 * drops a partition subtracts its rows.
 */
const TALLY = `
  create table logged_event_tally (
    id integer generated always as identity,
    org_id integer,
    is_audit boolean not null,
    events bigint not null,
    constraint pk_logged_event_tally primary key (id)
  ) with (fillfactor = 50);

  create function tally_inserted_events() returns trigger language plpgsql as $$
  declare
    kind record;
  begin
    for kind in select org_id, is_audit, count(*) as events from new_events group by org_id, is_audit loop
      update logged_event_tally set events = events + kind.events where id = (
        select id from logged_event_tally t
        where t.org_id is not distinct from kind.org_id and t.is_audit = kind.is_audit
        limit 1 for update skip locked);
      if not found then
        insert into logged_event_tally (org_id, is_audit, events) values (kind.org_id, kind.is_audit, kind.events);
      end if;
    end loop;
    return null;
  end $$;

  create trigger tally_inserted after insert on logged_event referencing new table as new_events
    for each statement execute function tally_inserted_events();

  lock table logged_event in share row exclusive mode;
  insert into logged_event_tally (org_id, is_audit, events)
  select org_id, is_audit, count(*) from logged_event group by org_id, is_audit;
`;

/** Counts the audit log as fast with millions of rows as with a few. */
export class EventTally1795659540000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TALLY);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function tally_inserted_events() cascade;
      drop table logged_event_tally;`);
  }
}
