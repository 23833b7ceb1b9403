import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Columns that change all the time, each with stamps of its own: a count that does not look at them outlives their
 * changes. The stamps of the table itself are for everything else, and for rows that come and go.
 */
const VOLATILE: Readonly<Record<string, readonly string[]>> = {
  job: ['state', 'stage', 'status', 'assignee_id', 'assignee_updated_date', 'updated_date'],
  task: ['status', 'assignee_id', 'assignee_updated_date', 'updated_date'],
  project: ['status', 'assignee_id', 'assignee_updated_date', 'updated_date'],
  app_user: ['last_login', 'password'],
};

/** As before, of what the trigger's argument names, else of the table. */
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

/** A trigger cannot be asked which columns a statement sets, so all others are named. */
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

/** Remembered counts outlive the changes that happen most. */
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
