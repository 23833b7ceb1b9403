import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pings in the delivery log contain their webhook, so the values of its headers are masked there, too. */
export class MaskedPings1795521600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      with ping as (
        select id, payload::json #> '{webhook,custom_headers}' as headers from webhook_delivery
        where event = 'ping' and payload like '%"custom_headers":{"%'
      ), masked as (
        select id, headers::text as clear,
          (select json_object_agg(name, '***')::text from json_object_keys(headers) as name) as mask
        from ping where json_typeof(headers) = 'object'
      )
      update webhook_delivery delivery
      set payload = replace(payload, '"custom_headers":' || masked.clear, '"custom_headers":' || masked.mask)
      from masked where masked.id = delivery.id`);
  }

  /** Masked values cannot be restored. */
  async down(): Promise<void> {}
}
