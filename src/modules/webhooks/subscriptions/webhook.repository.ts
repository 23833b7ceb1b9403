import { Injectable } from '@nestjs/common';
import {
  organizationFacts,
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from '../../../core/access/organization-context.js';
import type { Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import type { ApiVersion } from '../../../core/versioning/accept.js';
import { type Sql, sql } from '../../../engines/sql/sql.js';
import type { ProjectFacts } from '../../../shared/policy/project.policy.js';
import type { WebhookFacts } from '../../../shared/policy/webhook.policy.js';
import { basicUserColumns } from '../../users/index.js';
import { WEBHOOK_TYPES, type WebhookType } from '../event-catalogue.js';
import type { WebhookRow } from './webhook.mapper.js';
import { choice, integer, type ListSpec, text, timestamp } from '../../../core/list/list-spec.js';

/** `webhook` with the tables that its fields and its existence depend on. */
export const WEBHOOK_FROM = sql`webhook
  left join app_user owner on owner.id = webhook.owner_id
  left join project on project.id = webhook.project_id
  left join organization webhook_organization on webhook_organization.id = webhook.organization_id`;

/**
 * A webhook is hidden as soon as its project or organization is deleted. Its row stays until the deletion events are
 * delivered.
 */
export const WEBHOOK_EXISTS = sql`webhook.deleted_date is null
  and (webhook.project_id is null or project.id is not null)
  and (webhook.organization_id is null or webhook_organization.id is not null)`;

export const WEBHOOK_COLUMNS = sql`webhook.id, webhook.target_url, webhook.description, webhook.type, webhook.content_type,
  webhook.secret, webhook.previous_secret, webhook.previous_secret_until, webhook.ordered, webhook.retry_schedule,
  webhook.timeout, webhook.rate_limit, webhook.max_concurrency, webhook.custom_headers, webhook.filter, webhook.payload,
  webhook.batch_window, webhook.paused_until,
  webhook.disabled_reason, webhook.is_active, webhook.enable_ssl, webhook.api_version, webhook.project_id, webhook.organization_id,
  webhook.events, webhook.last_status, webhook.last_delivery_date, webhook.created_date, webhook.updated_date,
  ${basicUserColumns('owner', 'owner')}`;

interface FactsRow extends OrganizationFactsRow {
  readonly owner_id: number | null;
  readonly fact_project_owner_id: number | null;
}

export interface NewWebhook {
  readonly targetUrl: string;
  readonly description: string;
  readonly type: WebhookType;
  readonly contentType: string;
  readonly secret: string | null;
  readonly isActive: boolean;
  readonly enableSsl: boolean;
  readonly apiVersion: ApiVersion;
  readonly ownerId: number;
  readonly projectId: number | null;
  readonly organizationId: number | null;
  readonly events: readonly string[];
  readonly now: Date;
}

@Injectable()
export class WebhookRepository {
  /** The row and the facts that the policy needs, in one statement. */
  async find(
    db: Queryable,
    id: number,
    actorId: number,
  ): Promise<{ row: WebhookRow; facts: WebhookFacts } | undefined> {
    const [row] = await db.query<WebhookRow & FactsRow>(sql`
      select ${WEBHOOK_COLUMNS}, project.owner_id as fact_project_owner_id, ${organizationFactsColumns} from ${WEBHOOK_FROM}
      ${organizationFactsJoin(sql`webhook.organization_id`, actorId)}
      where webhook.id = ${id} and ${WEBHOOK_EXISTS}`);
    if (row === undefined) return undefined;
    const facts = {
      ownerId: row.owner_id,
      isServer: row.type === 'server',
      projectOwnerId: row.fact_project_owner_id,
      organization: organizationFacts(row),
    };
    return { row, facts };
  }

  /** Prevents other changes of the webhook until the transaction ends. */
  async lock(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`select 1 from webhook where id = ${id} for no key update`);
  }

  /** The facts about a project that the creation of a webhook needs. */
  async project(db: Queryable, id: number, actorId: number): Promise<ProjectFacts | undefined> {
    const [row] = await db.query<OrganizationFactsRow & { owner_id: number | null; assignee_id: number | null }>(sql`
      select project.owner_id, project.assignee_id, ${organizationFactsColumns} from project
      ${organizationFactsJoin(sql`project.organization_id`, actorId)} where project.id = ${id}`);
    if (row === undefined) return undefined;
    return { ownerId: row.owner_id, assigneeId: row.assignee_id, organization: organizationFacts(row) };
  }

  async insert(tx: Tx, webhook: NewWebhook): Promise<number> {
    const [row] = await tx.query<{ id: number }>(sql`
      insert into webhook (target_url, description, type, content_type, secret, is_active, active_since, enable_ssl,
        api_version, owner_id, project_id, organization_id, events, created_date, updated_date)
      values (${webhook.targetUrl}, ${webhook.description}, ${webhook.type}, ${webhook.contentType}, ${webhook.secret},
        ${webhook.isActive}, ${webhook.now}, ${webhook.enableSsl}, ${webhook.apiVersion}, ${webhook.ownerId},
        ${webhook.projectId}, ${webhook.organizationId}, ${[...webhook.events]}, ${webhook.now}, ${webhook.now})
      returning id`);
    return row?.id ?? 0;
  }

  async set(tx: Tx, id: number, assignments: Sql): Promise<void> {
    await tx.query(sql`update webhook set ${assignments} where id = ${id}`);
  }
}

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
