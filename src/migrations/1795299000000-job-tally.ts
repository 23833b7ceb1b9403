import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The number of jobs of each kind, so that the long list of jobs need not be counted after every change. Rows of one
 * kind add up. As with stamps, one transaction at a time uses a row, and another row is added if all are in use, so
 * writers never wait for each other. The sum that a reader sees matches the jobs in its snapshot.
 */
const TALLY = `
  create table job_tally (
    id integer generated always as identity,
    organization_id integer,
    type text not null,
    stage text not null,
    state text not null,
    jobs bigint not null,
    constraint pk_job_tally primary key (id)
  ) with (fillfactor = 50);

  create function tally_jobs(kinds job_tally[]) returns void language plpgsql as $$
  declare
    kind job_tally;
  begin
    foreach kind in array kinds loop
      update job_tally set jobs = jobs + kind.jobs where id = (
        select id from job_tally t
        where t.organization_id is not distinct from kind.organization_id
          and (t.type, t.stage, t.state) = (kind.type, kind.stage, kind.state)
        limit 1 for update skip locked);
      if not found then
        insert into job_tally (organization_id, type, stage, state, jobs)
        values (kind.organization_id, kind.type, kind.stage, kind.state, kind.jobs);
      end if;
    end loop;
  end $$;

  create function tally_inserted_jobs() returns trigger language plpgsql as $$
  begin
    perform tally_jobs(array(select row(0, organization_id, type, stage, state, count(*))::job_tally
      from new_jobs group by organization_id, type, stage, state));
    return null;
  end $$;

  create function tally_deleted_jobs() returns trigger language plpgsql as $$
  begin
    perform tally_jobs(array(select row(0, organization_id, type, stage, state, -count(*))::job_tally
      from old_jobs group by organization_id, type, stage, state));
    return null;
  end $$;

  create function tally_updated_jobs() returns trigger language plpgsql as $$
  begin
    perform tally_jobs(array(select row(0, organization_id, type, stage, state, sum(jobs))::job_tally
      from (select organization_id, type, stage, state, 1 as jobs from new_jobs
        union all select organization_id, type, stage, state, -1 from old_jobs) changed
      group by organization_id, type, stage, state having sum(jobs) <> 0));
    return null;
  end $$;

  create function tally_no_jobs() returns trigger language plpgsql as $$
  begin
    truncate job_tally;
    return null;
  end $$;

  create trigger tally_inserted after insert on job referencing new table as new_jobs
    for each statement execute function tally_inserted_jobs();
  create trigger tally_deleted after delete on job referencing old table as old_jobs
    for each statement execute function tally_deleted_jobs();
  create trigger tally_updated after update on job referencing new table as new_jobs old table as old_jobs
    for each statement execute function tally_updated_jobs();
  create trigger tally_truncated after truncate on job
    for each statement execute function tally_no_jobs();

  lock table job in share row exclusive mode;
  insert into job_tally (organization_id, type, stage, state, jobs)
  select organization_id, type, stage, state, count(*) from job group by organization_id, type, stage, state;
`;

/** Counts lists of all jobs, or of the jobs of an organization, as fast after a change as before it. */
export class JobTally1795299000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TALLY);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function tally_inserted_jobs() cascade;
      drop function tally_deleted_jobs() cascade;
      drop function tally_updated_jobs() cascade;
      drop function tally_no_jobs() cascade;
      drop function tally_jobs(job_tally[]);
      drop table job_tally;`);
  }
}
