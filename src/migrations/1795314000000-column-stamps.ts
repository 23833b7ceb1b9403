import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Columns that change all the time, each with its own stamps: a cached count that does not depend on them survives
 * their changes. The stamps of the table cover all other columns, and inserted and deleted rows.
 */
const VOLATILE: Readonly<Record<string, readonly string[]>> = {
  job: ['state', 'stage', 'status', 'assignee_id', 'assignee_updated_date', 'updated_date'],
  task: ['status', 'assignee_id', 'assignee_updated_date', 'updated_date'],
  project: ['status', 'assignee_id', 'assignee_updated_date', 'updated_date'],
  app_user: ['last_login', 'password'],
};

/** As before, for the name in the trigger's argument, otherwise for the table. */
const STAMP = `
  create or replace function stamp_table() returns trigger language plpgsql as $$
  declare
    stamped constant text := coalesce(tg_argv[0], tg_table_name);
    drawn constant text := 'cairn.stamped_' || replace(stamped, '.', '_of_');
    random_stamp bigint;
  begin
    if current_setting(drawn, true) = 'yes' then
      return null;
    end if;
    random_stamp := hashtextextended(gen_random_uuid()::text, 0);
    update table_stamp set stamp = random_stamp where id = (
      select id from table_stamp where table_name = stamped limit 1 for update skip locked);
    if not found then
      insert into table_stamp (table_name, stamp) values (stamped, random_stamp);
    end if;
    perform set_config(drawn, 'yes', true);
    return null;
  end $$;
`;

const stampColumn = (table: string, column: string): string => `
  create trigger stamp_${column} after update of ${column} on ${table}
    for each statement execute function stamp_table('${table}.${column}');
  insert into table_stamp (table_name, stamp) values ('${table}.${column}', hashtextextended(gen_random_uuid()::text, 0));
`;

/** A trigger cannot find out which columns a statement sets, so it lists all others. */
const stampRest = (table: string, columns: readonly string[]): string => `
  drop trigger stamp_table on ${table};
  do $$
  begin
    execute format('create trigger stamp_table after insert or delete or truncate or update of %s on ${table}
      for each statement execute function stamp_table()', (
        select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped
          and attname <> all('{${columns.join(',')}}')));
  end $$;
`;

/** Cached counts survive the most frequent changes. */
export class ColumnStamps1795314000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(STAMP);
    for (const [table, columns] of Object.entries(VOLATILE)) {
      await runner.query(stampRest(table, columns));
      for (const column of columns) await runner.query(stampColumn(table, column));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, columns] of Object.entries(VOLATILE)) {
      for (const column of columns) await runner.query(`drop trigger stamp_${column} on ${table}`);
      await runner.query(`
        drop trigger stamp_table on ${table};
        create trigger stamp_table after insert or update or delete or truncate on ${table}
          for each statement execute function stamp_table();`);
    }
    await runner.query(`delete from table_stamp where table_name like '%.%'`);
  }
}
