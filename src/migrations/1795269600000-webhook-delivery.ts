import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The delivery settings of each webhook, its health, and the request and response of each attempt. */
const CHANGES = `
  alter table webhook add column previous_secret text;
  alter table webhook add column previous_secret_until timestamptz;
  alter table webhook add column ordered boolean not null default false;
  alter table webhook add column retry_schedule integer[];
  alter table webhook add column timeout integer;
  alter table webhook add column rate_limit integer;
  alter table webhook add column max_concurrency integer;
  alter table webhook add column custom_headers json not null default '{}';
  alter table webhook add column failures integer not null default '0';
  alter table webhook add column failing_since timestamptz;
  alter table webhook add column paused_until timestamptz;
  alter table webhook add column disabled_reason text;
  alter table webhook_attempt add column details json;
  create index ix_webhook_delivery_unfinished on webhook_delivery (webhook_id, id) where next_attempt_at is not null;
`;

export class WebhookDelivery1795269600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CHANGES);
  }

  /** To go back, restore a backup: dropping columns would destroy data. */
  down(): Promise<void> {
    return Promise.reject(new Error('The settings of webhooks cannot be removed again.'));
  }
}
