import type { DumpRecord } from '../dump-record.js';
import type { Mapping } from '../mapping.js';

/** The version of payloads that receivers of CVAT 2.42 know. */
const PAYLOAD_VERSION = '2.1';

const webhook: Mapping = {
  model: 'webhooks.webhook',
  stage: 'webhook',
  map(record, { people, sealing }) {
    const createdDate = record.date('created_date');
    return [
      {
        id: record.id,
        target_url: record.text('target_url'),
        description: record.text('description', ''),
        type: record.text('type'),
        content_type: record.text('content_type'),
        secret: sealing.webhookSecret(record.text('secret', '')),
        is_active: record.boolean('is_active'),
        active_since: createdDate,
        enable_ssl: record.boolean('enable_ssl'),
        api_version: PAYLOAD_VERSION,
        owner_id: people.userIdOrNull(record, 'owner'),
        project_id: record.integerOrNull('project'),
        organization_id: record.integerOrNull('organization'),
        events: [...new Set(record.text('events').split(',').filter(Boolean))].toSorted(),
        created_date: createdDate,
        updated_date: record.date('updated_date'),
      },
    ];
  },
};

const delivery: Mapping = {
  model: 'webhooks.webhookdelivery',
  stage: 'webhook_delivery',
  map(record) {
    const statusCode = record.integerOrNull('status_code');
    return [
      {
        id: record.id,
        webhook_id: record.integer('webhook'),
        event: record.text('event'),
        payload: JSON.stringify(record.value('request') ?? {}),
        changed_fields: record.text('changed_fields', ''),
        redelivery: record.boolean('redelivery', false),
        status: isSuccess(statusCode) ? 'delivered' : 'failed',
        attempts: record.integerOrNull('attempt') ?? 1,
        request_duration: record.integerOrNull('request_duration'),
        status_code: statusCode,
        response: responseText(record),
        created_date: record.date('created_date'),
        updated_date: record.date('updated_date'),
      },
    ];
  },
};

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** CVAT's column is JSON that contains a text; anything else is kept as JSON. */
function responseText(record: DumpRecord): string {
  const response = record.value('response') ?? '';
  return typeof response === 'string' ? response : JSON.stringify(response);
}

export const webhookMappings: readonly Mapping[] = [webhook, delivery];
