import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks of the server belong to neither a project nor an organization. */
export class ServerWebhooks1795280400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table webhook drop constraint ck_webhook_type;
      alter table webhook add constraint ck_webhook_type check (
        (type = 'project' and project_id is not null)
        or (type = 'organization' and organization_id is not null and project_id is null)
        or (type = 'server' and organization_id is null and project_id is null));
    `);
  }

  /** To go back, restore a backup: this would have to delete webhooks. */
  down(): Promise<void> {
    return Promise.reject(new Error('Webhooks of the server cannot be forbidden again.'));
  }
}
