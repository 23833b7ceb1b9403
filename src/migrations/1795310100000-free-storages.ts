import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rows of storage belong to tasks and projects. They are deleted with the last row that refers to them, however that is
 * deleted.
 */
const FREE = `
  create index ix_task_source_storage_id on task (source_storage_id) where source_storage_id is not null;
  create index ix_task_target_storage_id on task (target_storage_id) where target_storage_id is not null;
  create index ix_project_source_storage_id on project (source_storage_id) where source_storage_id is not null;
  create index ix_project_target_storage_id on project (target_storage_id) where target_storage_id is not null;

  create function delete_free_storages() returns trigger language plpgsql as $$
  begin
    delete from storage
    where id in (select source_storage_id from gone union select target_storage_id from gone)
      and not exists (select from task where source_storage_id = storage.id)
      and not exists (select from task where target_storage_id = storage.id)
      and not exists (select from project where source_storage_id = storage.id)
      and not exists (select from project where target_storage_id = storage.id);
    return null;
  end $$;
  create trigger free_storages after delete on task referencing old table as gone
    for each statement execute function delete_free_storages();
  create trigger free_storages after delete on project referencing old table as gone
    for each statement execute function delete_free_storages();

  lock table task, project in share row exclusive mode;
  delete from storage
  where not exists (select from task where source_storage_id = storage.id)
    and not exists (select from task where target_storage_id = storage.id)
    and not exists (select from project where source_storage_id = storage.id)
    and not exists (select from project where target_storage_id = storage.id);
`;

export class FreeStorages1795310100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FREE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function delete_free_storages() cascade;
      drop index ix_task_source_storage_id, ix_task_target_storage_id, ix_project_source_storage_id,
        ix_project_target_storage_id;`);
  }
}
