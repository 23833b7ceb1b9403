import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One statement each deletes the deliveries of a webhook and the attempts of a delivery, and one query checks the
 * webhooks of five hundred deliveries that are created together: the foreign keys did so for each row. An attempt is
 * written by the transaction that has just written its delivery, so nobody can delete the delivery and it is not
 * checked again.
 */
const TRIGGERS = `
  create function delete_deliveries_of_webhooks() returns trigger language plpgsql as $$
  declare
    ids constant integer[] := array(select id from gone);
  begin
    if cardinality(ids) > 0 then
      delete from webhook_delivery where webhook_id = any(ids);
    end if;
    return null;
  end $$;
  create trigger deliveries_of_webhooks after delete on webhook
    referencing old table as gone for each statement execute function delete_deliveries_of_webhooks();

  create function delete_attempts_of_deliveries() returns trigger language plpgsql as $$
  declare
    ids constant bigint[] := array(select id from gone);
  begin
    if cardinality(ids) > 0 then
      delete from webhook_attempt where delivery_id = any(ids);
    end if;
    return null;
  end $$;
  create trigger attempts_of_deliveries after delete on webhook_delivery
    referencing old table as gone for each statement execute function delete_attempts_of_deliveries();

  create function require_webhook_of_deliveries() returns trigger language plpgsql as $$
  declare
    webhooks constant integer[] := array(select distinct webhook_id from made);
  begin
    if (select count(*) from (select from webhook where id = any(webhooks) for key share) there) < cardinality(webhooks) then
      raise foreign_key_violation using message = 'a delivery refers to a webhook that is not there';
    end if;
    return null;
  end $$;
  create trigger require_webhook after insert on webhook_delivery
    referencing new table as made for each statement execute function require_webhook_of_deliveries();

  create trigger stays_with_webhook before update of webhook_id on webhook_delivery
    for each row when (old.webhook_id <> new.webhook_id) execute function refuse_another_owner();
`;

/** Creates, records and removes deliveries without a check for each row. */
export class WebhookCascades1795322000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table webhook_attempt drop constraint fk_webhook_attempt_delivery_id;
      alter table webhook_delivery drop constraint fk_webhook_delivery_webhook_id;`);
    await runner.query(TRIGGERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger stays_with_webhook on webhook_delivery;
      drop function require_webhook_of_deliveries() cascade;
      drop function delete_attempts_of_deliveries() cascade;
      drop function delete_deliveries_of_webhooks() cascade;
      alter table webhook_delivery add constraint fk_webhook_delivery_webhook_id
        foreign key (webhook_id) references webhook (id) on delete cascade;
      alter table webhook_attempt add constraint fk_webhook_attempt_delivery_id
        foreign key (delivery_id) references webhook_delivery (id) on delete cascade;`);
  }
}
