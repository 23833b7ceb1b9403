import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { ENTITIES, MIGRATIONS } from '../../../src/schema.js';
import { openTestDataSource, type TestDataSource } from '../../support/data-source.js';

/** What entities cannot express: indexes on expressions, partial indexes, and checks. */
const ONLY_IN_MIGRATIONS = [
  'ix_logged_event_audit',
  'ix_logged_event_audit_org_id',
  'ix_logged_event_audit_project_id',
  'ix_logged_event_audit_scope',
  'ix_logged_event_audit_user_name',
  'ix_logged_event_project_id',
  'ix_app_user_username_lower',
  'ix_app_user_email_lower',
  'ix_app_user_username_lookalike',
  'ix_app_user_username_ascii_lookalike',
  'ix_annotation_request_client',
  'ix_annotation_request_open',
  'ix_annotation_request_running',
  'ix_background_request_pending',
  'ix_background_request_holder',
  'ix_idempotency_key_holder',
  'ix_media_upload_complete',
  'ix_label_name_project',
  'ix_label_name_task',
  'ix_label_name_parent',
  'ck_installation_single',
  'ck_segment_order',
  'ix_outbox_quarantine_returned',
  'ix_webhook_delivery_due',
  'ix_webhook_delivery_unfinished',
  'ix_webhook_delivery_event',
  'ix_webhook_delivery_batch',
  'ix_webhook_delivery_payload_id',
  'ck_webhook_delivery_payload',
  'ck_webhook_type',
  'ck_webhook_delivery_status',
  'ck_media_data_validation_mode',
  'ck_task_dimension',
  'ix_media_data_validation_mode',
  'ix_task_search',
  'ix_task_source_storage_id',
  'ix_task_target_storage_id',
  'ix_project_source_storage_id',
  'ix_project_target_storage_id',
];

describe('the schema', () => {
  let database: TestDataSource;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await openTestDataSource({ entities: ENTITIES, migrations: MIGRATIONS });
    dataSource = database.dataSource;
  });

  afterAll(() => database.close());

  it('created by the migrations matches the entities', async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    const known = (text: string): boolean => ONLY_IN_MIGRATIONS.some((name) => text.includes(`"${name}"`));
    const differences = upQueries.map(({ query }) => query).filter((query) => !known(query));
    expect(differences).toEqual([]);
  });

  it('has what only migrations define', async () => {
    const rows = await dataSource.query<{ name: string }[]>(
      `select indexname as name from pg_indexes where schemaname = current_schema()
       union all select conname from pg_constraint`,
    );
    const there = new Set(rows.map((row) => row.name));
    expect(ONLY_IN_MIGRATIONS.filter((name) => !there.has(name))).toEqual([]);
  });

  it('needs no changes after a start', async () => {
    expect(await dataSource.showMigrations()).toBe(false);
  });

  it('finds rows by every foreign key without a sequential scan', async () => {
    const rows = await dataSource.query<{ reference: string }[]>(`
      select c.conrelid::regclass || '.' || a.attname as reference
      from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'f' and c.connamespace = current_schema()::regnamespace
        and not exists (select 1 from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1])
      order by 1`);
    expect(rows.map((row) => row.reference)).toEqual([]);
  });
});
