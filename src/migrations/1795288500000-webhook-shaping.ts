import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Filters of a webhook's events, the form of its payloads, and the time over which events are merged. */
const CHANGES = `
  alter table webhook add column filter json;
  alter table webhook add column payload text not null default 'full';
  alter table webhook add column batch_window integer;
  alter table webhook_delivery add column batch_key text;
  alter table webhook_delivery add column merged_events bigint[] not null default '{}';
  create index ix_webhook_delivery_batch on webhook_delivery (webhook_id, batch_key) where batch_key is not null;
`;

export class WebhookShaping1795288500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CHANGES);
  }

  /** To go back, restore a backup: dropping columns would destroy data. */
  down(): Promise<void> {
    return Promise.reject(new Error('The settings of webhooks cannot be removed again.'));
  }
}
