import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Deletes what belongs to a job with one statement per table. A foreign key is checked once for every deleted row, and
 * five of them lie between a task and the contents of its jobs: with 100,000 jobs they took most of the time of a
 * deletion. The guarantees of the keys remain: referring rows are deleted too, and a row cannot refer to a missing one,
 * which is checked with the lock that the keys took.
 */
const DROPPED: Readonly<Record<string, readonly string[]>> = {
  job: ['fk_job_segment_id', 'fk_job_parent_job_id'],
  issue: ['fk_issue_job_id'],
  annotation_head: ['fk_annotation_head_job_id'],
  annotation_revision_part: ['fk_annotation_revision_part_job_id'],
};

const OF_JOBS: Readonly<Record<string, readonly string[]>> = {
  delete_annotations_of_jobs: ['tag', 'shape', 'tracked_shape', 'track', 'interval'].map(
    (kind) => `annotation_${kind} where job_id`,
  ),
  forget_annotations_of_jobs: [
    ...['tag', 'shape', 'track', 'tracked_shape', 'interval'].map((kind) => `annotation_${kind}_removed where job_id`),
    'annotation_head where job_id',
    'annotation_revision_part where job_id',
  ],
  // Deleting no jobs would fire the trigger again, which ends there.
  delete_contents_of_jobs: ['issue where job_id', 'job where parent_job_id'],
  delete_jobs_of_segments: ['job where segment_id'],
};

/** Uses an array, so that the cached plan for many rows also suits a single row; a sequential scan would not. */
const deleting = (name: string, tables: readonly string[]): string => `
  create or replace function ${name}() returns trigger language plpgsql as $$
  declare
    ids constant integer[] := array(select id from gone);
  begin
    if cardinality(ids) = 0 then
      return null;
    end if;
    ${tables.map((table) => `delete from ${table} = any(ids);`).join('\n    ')}
    return null;
  end $$;
`;

const TRIGGERS = `
  create trigger contents_of_jobs after delete on job
    referencing old table as gone for each statement execute function delete_contents_of_jobs();
  create trigger jobs_of_segments after delete on segment
    referencing old table as gone for each statement execute function delete_jobs_of_segments();

  create function require_job_of_issues() returns trigger language plpgsql as $$
  declare
    jobs constant integer[] := array(select distinct job_id from made);
  begin
    if (select count(*) from (select from job where id = any(jobs) for key share) there) < cardinality(jobs) then
      raise foreign_key_violation using message = 'an issue refers to a job that is not there';
    end if;
    return null;
  end $$;
  create trigger require_job after insert on issue
    referencing new table as made for each statement execute function require_job_of_issues();

  create function require_references_of_jobs() returns trigger language plpgsql as $$
  declare
    segments constant integer[] := array(select distinct segment_id from made);
    parents constant integer[] := array(select distinct parent_job_id from made where parent_job_id is not null);
  begin
    if (select count(*) from (select from segment where id = any(segments) for key share) there) < cardinality(segments) then
      raise foreign_key_violation using message = 'a job refers to a segment that is not there';
    end if;
    if (select count(*) from (select from job where id = any(parents) for key share) there) < cardinality(parents) then
      raise foreign_key_violation using message = 'a job refers to a parent that is not there';
    end if;
    return null;
  end $$;
  create trigger require_references after insert on job
    referencing new table as made for each statement execute function require_references_of_jobs();

  create function refuse_another_owner() returns trigger language plpgsql as $$
  begin
    raise foreign_key_violation using message = format('a row of %s stays where it was made', tg_table_name);
  end $$;
  create trigger stays_in_job before update of job_id on issue
    for each row when (old.job_id <> new.job_id) execute function refuse_another_owner();
  create trigger stays_in_segment before update of segment_id, parent_job_id on job
    for each row when (old.segment_id <> new.segment_id or old.parent_job_id is distinct from new.parent_job_id)
    execute function refuse_another_owner();
`;

/** Deletes set by set instead of row by row. */
export class SetBasedCascades1795320000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, keys] of Object.entries(DROPPED))
      for (const key of keys) await runner.query(`alter table ${table} drop constraint ${key}`);
    for (const [name, tables] of Object.entries(OF_JOBS)) await runner.query(deleting(name, tables));
    await runner.query(TRIGGERS);
  }

  /** The earlier functions have the same effect in their present form, so they stay. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function delete_contents_of_jobs() cascade;
      drop function delete_jobs_of_segments() cascade;
      drop function require_job_of_issues() cascade;
      drop function require_references_of_jobs() cascade;
      drop function refuse_another_owner() cascade;`);
    for (const [table, keys] of Object.entries(DROPPED))
      for (const key of keys) {
        const column = key.slice(`fk_${table}_`.length);
        const target = column === 'segment_id' ? 'segment' : 'job';
        await runner.query(
          `alter table ${table} add constraint ${key} foreign key (${column}) references ${target} (id) on delete cascade`,
        );
      }
  }
}
