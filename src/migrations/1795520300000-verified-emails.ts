import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A trigger cannot find out which columns a statement sets, so all columns without their own stamps are listed again.
 */
export const STAMP_ACCOUNTS = `
  do $$
  begin
    execute format('create trigger stamp_table after insert or delete or truncate or update of %s on app_user
      for each statement execute function stamp_table()', (
        select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = 'app_user'::regclass and attnum > 0 and not attisdropped
          and attname <> all('{last_login,password}')));
  end $$;
`;

/**
 * Accounts whose owners have confirmed their email address. Older accounts count as unconfirmed, except administrators,
 * who were created by somebody with access to the server.
 */
export class VerifiedEmails1795520300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table app_user add column email_verified boolean not null default false;
      update app_user set email_verified = true where is_staff or is_superuser;
      drop trigger stamp_table on app_user;
      ${STAMP_ACCOUNTS}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger stamp_table on app_user;
      alter table app_user drop column email_verified;
      ${STAMP_ACCOUNTS}`);
  }
}
