import { bool, choice, integer, type ListSpec, text, timestamp } from '../../../core/list/list-spec.js';
import { sql } from '../../../engines/sql/sql.js';
import { WEBHOOK_TYPES } from '../event-catalogue.js';
import { WEBHOOK_FROM } from './webhook.repository.js';

export const webhookList: ListSpec = {
  from: WEBHOOK_FROM,
  fields: {
    target_url: text('webhook.target_url'),
    owner: text('owner.username'),
    type: choice('webhook.type', WEBHOOK_TYPES),
    description: text('webhook.description'),
    id: integer('webhook.id'),
    project_id: integer('webhook.project_id'),
    updated_date: timestamp('webhook.updated_date'),
  },
  search: ['target_url', 'owner', 'type', 'description'],
  simple: ['target_url', 'owner', 'type', 'project_id'],
  aliases: { project: 'project_id' },
  defaultSort: '-id',
  organization: sql`webhook.organization_id`,
};

/** A pending delivery that is being sent is called leased. */
export const DELIVERY_STATUS = sql`(case when webhook_delivery.status = 'pending' and exists (
  select 1 from webhook_lease where webhook_lease.delivery_id = webhook_delivery.id and webhook_lease.ends_at > now())
  then 'leased' else webhook_delivery.status end)`;

/** There is something to tell: it was tried, or given up. */
const HAS_OUTCOME = sql`(webhook_delivery.attempts > 0 or webhook_delivery.status <> 'pending')`;

/**
 * Beyond the contract, whose lists of deliveries can only be paged. Version 2.2 lists a delivery as soon as it exists; what
 * older clients are shown always has an outcome.
 */
export const deliveryList: ListSpec = {
  from: sql`webhook_delivery`,
  fields: {
    id: integer('webhook_delivery.id'),
    event: text('webhook_delivery.event'),
    status: choice(DELIVERY_STATUS, ['pending', 'leased', 'delivered', 'failed']),
    status_code: integer('webhook_delivery.status_code'),
    redelivery: bool('webhook_delivery.redelivery'),
    created_date: timestamp('webhook_delivery.created_date'),
    updated_date: timestamp('webhook_delivery.updated_date'),
  },
  search: [],
  simple: ['event', 'status', 'status_code'],
  defaultSort: '-updated_date,-id',
  older: { '2.0': HAS_OUTCOME, '2.1': HAS_OUTCOME },
};
