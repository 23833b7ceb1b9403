import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { Db, type Queryable } from '../../../core/database/db.js';
import { Invalid } from '../../../core/http/errors/errors.js';
import { Representations } from '../../../core/versioning/representations.js';
import type { Actor } from '../../../shared/policy/actor.js';
import type { ExplainedDeliveryDto, ExplanationDto, ExplanationStepDto } from './delivery.dto.js';
import { ALL_EVENTS } from '../../../core/events/event-declaration.js';
import { batchKey, isSave } from '../dispatch/batches.js';
import { eventPayload } from '../../../core/events/payload.js';
import { filterVerdict } from '../dispatch/matching.js';
import { WebhookService } from '../subscriptions/webhook.service.js';
import type { StoredEvent } from '../../../core/events/event-map.js';
import { storedColumns, type StoredEventRow, toStoredEvent } from '../../../core/events/stored-event.js';
import { raw, type Sql, sql } from '../../../engines/sql/sql.js';
import { DELIVERY_STATUS } from './delivery.repository.js';
import type { WebhookRow } from '../subscriptions/webhook.mapper.js';
import type { Verdict } from '../../../engines/filter/rule.js';

/** Queries behind the explanation of a webhook. */
@Injectable()
export class ExplanationRepository {
  /** The newest event of a type in the webhook's scope, optionally of one object. */
  async newestEvent(
    db: Queryable,
    webhook: WebhookRow,
    event: string,
    object: string | null,
  ): Promise<StoredEvent | null> {
    const [row] = await db.query<StoredEventRow>(sql`
      select ${storedColumns(webhook.api_version)} from outbox_event event where event.id = (
        select id from (
          select id, name, object_id from outbox_event where ${scopeOf(webhook)} order by id desc limit ${SEARCHED}
        ) newest
        where name = ${event} and (${object}::text is null or object_id = ${object}) order by id desc limit 1)`);
    return row === undefined ? null : toStoredEvent(row);
  }

  async activeSince(db: Queryable, webhookId: number): Promise<string> {
    const [row] = await db.query<{ active_since: string }>(
      sql`select active_since from webhook where id = ${webhookId}`,
    );
    return row?.active_since ?? '';
  }

  /** The last delivery of an event to the webhook. */
  async deliveryOf(
    db: Queryable,
    webhookId: number,
    event: StoredEvent,
    key: string,
  ): Promise<ExplainedDeliveryDto | null> {
    const [row] = await db.query<ExplainedDeliveryDto>(sql`
      select id, ${DELIVERY_STATUS} as status, status_code, created_date, next_attempt_at from webhook_delivery
      where id = greatest(
        (select max(id) from webhook_delivery where webhook_id = ${webhookId} and event_id = ${event.id}),
        (select max(id) from webhook_delivery where webhook_id = ${webhookId} and batch_key = ${key}
          and ${event.id}::bigint = any(merged_events)))`);
    return row ?? null;
  }

  async oldestUnfinished(
    db: Queryable,
    webhookId: number,
  ): Promise<{ readonly id: number; readonly created_date: string } | null> {
    const [row] = await db.query<{ id: number; created_date: string }>(sql`
      select id, created_date from webhook_delivery where webhook_id = ${webhookId} and next_attempt_at is not null
      order by id limit 1`);
    return row ?? null;
  }
}

const MAX_OBJECT = 100;

/** Explains why a webhook would or would not fire. */
@Injectable()
export class ExplanationService {
  constructor(
    private readonly db: Db,
    private readonly webhooks: WebhookService,
    private readonly rows: ExplanationRepository,
    private readonly representations: Representations,
    private readonly clock: Clock,
  ) {}

  /** Searches only events in the webhook's scope, so that it reveals no other objects. @throws Invalid */
  async explain(actor: Actor, webhookId: number, query: Readonly<Record<string, unknown>>): Promise<ExplanationDto> {
    const webhook = await this.webhooks.require(this.db, actor, webhookId, 'view');
    const event = requireEvent(query['event']);
    const object = requireObject(query['object']);
    const stored = await this.rows.newestEvent(this.db, webhook, event, object);
    const payload = stored === null ? null : eventPayload(stored, webhook.api_version, this.representations);
    const steps = explain({
      webhook: { ...webhook, active_since: await this.rows.activeSince(this.db, webhookId) },
      event,
      stored,
      filter: payload === null ? null : filterVerdict(webhook, payload),
      isSave: stored !== null && payload !== null && isSave(stored, payload.changedFields),
      oldestUnfinished: await this.rows.oldestUnfinished(this.db, webhookId),
      now: this.clock.now(),
    });
    const delivery = stored === null ? null : await this.rows.deliveryOf(this.db, webhookId, stored, batchKey(stored));
    return { event, object, fires: fires(steps), event_id: stored?.id ?? null, steps, delivery };
  }
}

/** @throws Invalid */
export function requireEvent(event: unknown): string {
  if (event === undefined || event === '') throw new Invalid({ event: ['This field is required.'] });
  const known = ALL_EVENTS.find((name) => name === event);
  if (known !== undefined) return known;
  const shown = typeof event === 'string' ? event : JSON.stringify(event);
  throw new Invalid({ event: [`"${shown.slice(0, MAX_OBJECT)}" is not a valid choice.`] });
}

function requireObject(object: unknown): string | null {
  if (object === undefined || object === '') return null;
  if (typeof object === 'string' && object.length <= MAX_OBJECT && !object.includes('\0')) return object;
  throw new Invalid({ object: [`Enter the id of one object, with at most ${MAX_OBJECT} characters.`] });
}

/** The number of newest events of a scope to search. */
const SEARCHED = 100_000;

function scopeOf({ type, project_id: project, organization_id: organization }: WebhookRow): Sql {
  if (type === 'server') return raw('true');
  return type === 'project' ? sql`project_id = ${project}` : sql`organization_id = ${organization}`;
}

/** What determines whether a webhook fires for an event. */
export interface Facts {
  readonly webhook: WebhookRow & { readonly active_since: string };
  readonly event: string;
  /** The newest stored event of the scope. */
  readonly stored: StoredEvent | null;
  /** The filter's result; null without a filter or an event. */
  readonly filter: Verdict | null;
  /** Whether only the updated date changed. */
  readonly isSave: boolean;
  /** The oldest unfinished delivery. */
  readonly oldestUnfinished: { readonly id: number; readonly created_date: string } | null;
  readonly now: Date;
}

type Step = ExplanationStepDto;

const SCOPES = { project: 'project', organization: 'organization', server: 'server' } as const;

/** The reasons why a webhook fires or does not, in the order of evaluation. */
export function explain(facts: Facts): Step[] {
  return [active(facts), subscribed(facts), event(facts), activeSince(facts), filter(facts), ...delays(facts)].filter(
    (step) => step !== null,
  );
}

/** Null if it depends on the event. */
export function fires(steps: readonly Step[]): boolean | null {
  if (steps.some(({ verdict }) => verdict === 'blocks')) return false;
  return steps.some(({ verdict }) => verdict === 'unknown') ? null : true;
}

function active({ webhook }: Facts): Step {
  if (webhook.is_active) return { step: 'active', verdict: 'passes', reason: 'The webhook is enabled.' };
  const why = webhook.disabled_reason === null ? '' : ` by the server: ${webhook.disabled_reason}`;
  return { step: 'active', verdict: 'blocks', reason: `The webhook is disabled${why || '.'}` };
}

function subscribed({ webhook, event }: Facts): Step {
  if (webhook.events.includes(event))
    return { step: 'subscribed', verdict: 'passes', reason: `The webhook subscribes to ${event}.` };
  return { step: 'subscribed', verdict: 'blocks', reason: `The webhook does not subscribe to ${event}.` };
}

function event({ webhook, event: name, stored }: Facts): Step {
  const scope = SCOPES[webhook.type];
  if (stored !== null)
    return {
      step: 'event',
      verdict: 'passes',
      reason: `The newest stored ${name} of the ${scope} occurred at ${stored.occurredAt}.`,
    };
  return {
    step: 'event',
    verdict: 'unknown',
    reason: `No such ${name} of the ${scope} is stored. It has not occurred, it is older than the retention period, or the object is not in the ${scope}.`,
  };
}

function activeSince({ webhook, stored }: Facts): Step | null {
  if (stored === null) return null;
  const wasDisabled = Date.parse(webhook.active_since) > Date.parse(stored.occurredAt);
  return {
    step: 'active_since',
    verdict: wasDisabled ? 'blocks' : 'passes',
    reason: `The webhook has been enabled since ${webhook.active_since}, ${wasDisabled ? 'after' : 'before'} the event.`,
  };
}

function filter({ webhook, stored, filter: verdict }: Facts): Step {
  if (webhook.filter === null) return { step: 'filter', verdict: 'passes', reason: 'The webhook has no filter.' };
  if (stored === null || verdict === null)
    return { step: 'filter', verdict: 'unknown', reason: 'The filter can only be evaluated for a stored event.' };
  const values = verdict.seen;
  if (verdict.exhausted)
    return {
      step: 'filter',
      verdict: 'passes',
      reason: 'The filter needs too many operations for this event, so the event is sent.',
      values,
    };
  return verdict.passed
    ? { step: 'filter', verdict: 'passes', reason: 'The filter is true for this event.', values }
    : { step: 'filter', verdict: 'blocks', reason: 'The filter is false for this event.', values };
}

/** What delays deliveries. */
function delays({ webhook, isSave, oldestUnfinished, now }: Facts): Step[] {
  const steps: Step[] = [];
  if (webhook.paused_until !== null && new Date(webhook.paused_until) > now)
    steps.push({
      step: 'paused',
      verdict: 'delays',
      reason: `Too many deliveries have failed, so the webhook is paused until ${webhook.paused_until}.`,
    });
  if (webhook.batch_window !== null && isSave)
    steps.push({
      step: 'batch',
      verdict: 'delays',
      reason: `The event is a save. Saves of the object within ${webhook.batch_window} seconds are merged into one delivery.`,
    });
  if (webhook.ordered && oldestUnfinished !== null)
    steps.push({
      step: 'order',
      verdict: 'delays',
      reason: `The webhook sends one delivery at a time, and delivery ${oldestUnfinished.id} from ${oldestUnfinished.created_date} is not finished.`,
    });
  const { rate_limit: rate, max_concurrency: most } = webhook;
  const limits = [
    ...(rate === null ? [] : [`${rate} deliveries per second`]),
    ...(most === null ? [] : [`${most} at the same time`]),
  ];
  if (limits.length > 0)
    steps.push({ step: 'rate', verdict: 'delays', reason: `The webhook sends at most ${limits.join(' and ')}.` });
  return steps;
}
