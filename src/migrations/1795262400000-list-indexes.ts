import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The sort orders of lists, each with the key at the end: a page is then a range of one index, in either direction.
 * They begin with the columns of the old indexes of references, which they replace.
 */
const ORDERS: readonly (readonly [table: string, columns: readonly string[]])[] = [
  ['job', ['task_id', 'assignee_id', 'parent_job_id', 'organization_id', 'state', 'stage', 'type', 'updated_date']],
  ['task', ['project_id', 'owner_id', 'assignee_id', 'organization_id']],
  ['task', ['name', 'status', 'subset', 'mode', 'dimension', 'bug_tracker', 'updated_date']],
  ['project', ['owner_id', 'assignee_id', 'organization_id', 'name', 'status', 'updated_date']],
];

const REPLACED = [
  'job_task_id',
  'job_assignee_id',
  'job_parent_job_id',
  'task_project_id',
  'task_owner_id',
  'task_assignee_id',
  'task_organization_id',
  'project_owner_id',
  'project_assignee_id',
  'project_organization_id',
];

/** A job stores the organization of its task, so that one index can count and page the jobs of an organization. */
const ORGANIZATION_OF_JOBS = `
  alter table job add organization_id integer;
  update job set organization_id = task.organization_id from task where task.id = job.task_id and task.organization_id is not null;

  create function set_job_organization() returns trigger language plpgsql as $$
  begin
    -- The lock waits for a task that is just moving.
    new.organization_id := (select organization_id from task where id = new.task_id for share);
    return new;
  end $$;
  create trigger set_organization before insert or update of task_id on job
    for each row execute function set_job_organization();

  create function move_jobs_of_task() returns trigger language plpgsql as $$
  begin
    update job set organization_id = new.organization_id where task_id = new.id;
    return null;
  end $$;
  create trigger move_jobs after update of organization_id on task
    for each row when (old.organization_id is distinct from new.organization_id) execute function move_jobs_of_task();
`;

/** Lists of these are sorted value by value, see ListOrder. */
const CLOSED_SETS = `
  alter table task add constraint ck_task_dimension check (dimension in ('2d', '3d'));
  alter table media_data add constraint ck_media_data_validation_mode check (validation_mode in ('gt', 'gt_pool'));
`;

/** Few tasks have ground truth; a partial index leaves out the others. */
const VALIDATION_MODES =
  'create index ix_media_data_validation_mode on media_data (validation_mode, id) where validation_mode is not null';

/** Tables whose counts are cached, see ListCounts. Tables that are written all the time are not among them. */
const STAMPED = [
  'app_user',
  'organization',
  'membership',
  'project',
  'task',
  'job',
  'media_data',
  'label',
  'issue',
  'comment',
];

/**
 * All stamps of a table together are its version: a commit that changes the table sets one of them to a random number.
 * A transaction uses a stamp that no other transaction holds (or adds one), so writers never wait for each other. A
 * setting (which a rollback to a savepoint undoes, like the stamp) ensures that a transaction stamps a table only once.
 */
const STAMPS = `
  create table table_stamp (
    id integer generated always as identity,
    table_name text not null,
    stamp bigint not null,
    constraint pk_table_stamp primary key (id)
  ) with (fillfactor = 50);

  create function stamp_table() returns trigger language plpgsql as $$
  declare
    drawn constant text := 'cairn.stamped_' || tg_table_name;
    random_stamp bigint;
  begin
    if current_setting(drawn, true) = 'yes' then
      return null;
    end if;
    random_stamp := hashtextextended(gen_random_uuid()::text, 0);
    update table_stamp set stamp = random_stamp where id = (
      select id from table_stamp where table_name = tg_table_name limit 1 for update skip locked);
    if not found then
      insert into table_stamp (table_name, stamp) values (tg_table_name, random_stamp);
    end if;
    perform set_config(drawn, 'yes', true);
    return null;
  end $$;
`;

/** Texts of long lists that can be searched. An external database may not permit the extension. */
const SEARCH = `
  do $$
  begin
    create extension if not exists pg_trgm;
    create index ix_task_search on task using gin
      (name gin_trgm_ops, subset gin_trgm_ops, bug_tracker gin_trgm_ops) with (fastupdate = off);
  exception when insufficient_privilege or undefined_file or undefined_object or feature_not_supported then
    raise warning 'Searches of tasks stay slow without the extension pg_trgm: %', sqlerrm;
  end $$;
`;

/** Indexes and counts that keep long lists fast. */
export class ListIndexes1795262400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ORGANIZATION_OF_JOBS);
    for (const [table, columns] of ORDERS) {
      for (const column of columns) {
        await runner.query(`create index ix_${table}_${column}_id on ${table} (${column}, id)`);
      }
    }
    await runner.query(REPLACED.map((name) => `drop index ix_${name};`).join('\n'));
    await runner.query(CLOSED_SETS);
    await runner.query(VALIDATION_MODES);
    await runner.query(SEARCH);
    await runner.query(STAMPS);
    for (const table of STAMPED) await this.stamp(runner, table);
  }

  /** The first stamp marks the table as one with stamps. */
  private async stamp(runner: QueryRunner, table: string): Promise<void> {
    await runner.query(`
      create trigger stamp_table after insert or update or delete or truncate on ${table}
        for each statement execute function stamp_table();
      insert into table_stamp (table_name, stamp) values ('${table}', hashtextextended(gen_random_uuid()::text, 0));`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function stamp_table() cascade;
      drop table table_stamp;
      drop index if exists ix_task_search;
      drop index ix_media_data_validation_mode;
      alter table task drop constraint ck_task_dimension;
      alter table media_data drop constraint ck_media_data_validation_mode;
      drop function set_job_organization() cascade;
      drop function move_jobs_of_task() cascade;
      ${REPLACED.map((name) => `create index ix_${name} on ${reference(name)};`).join('\n')}
      ${ORDERS.flatMap(([table, columns]) => columns.map((column) => `drop index ix_${table}_${column}_id;`)).join('\n')}
      alter table job drop organization_id;`);
  }
}

/** `job_task_id`: `job (task_id)`. */
const reference = (name: string): string => name.replace(/^([a-z]+)_(.*)$/, '$1 ($2)');
