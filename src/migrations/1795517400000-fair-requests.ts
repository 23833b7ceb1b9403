import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the unfinished requests by owner, so that every owner gets a turn: running requests come before queued ones,
 * each in order of creation. Requests of deleted accounts count as those of owner 0.
 */
export class FairRequests1795517400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index ix_background_request_pending;
      create index ix_background_request_pending on background_request (coalesce(owner_id, 0), status desc, row_id)
        where status in ('queued', 'started');
      alter table background_request add column cancelled boolean not null default false;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      delete from background_request where cancelled;
      alter table background_request drop column cancelled;
      drop index ix_background_request_pending;
      create index ix_background_request_pending on background_request (row_id) where status in ('queued', 'started');`);
  }
}
