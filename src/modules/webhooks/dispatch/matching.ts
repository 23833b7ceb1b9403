import type { StoredEvent } from '../../../core/events/event-map.js';
import type { ApiVersion } from '../../../core/versioning/accept.js';
import type { WebhookType } from '../event-catalogue.js';
import type { Batching } from './batches.js';
import { Invalid } from '../../../core/http/errors.js';
import { evaluateRule, parseRule, type Rule, RuleError, type Verdict } from '../../../engines/filter/rule.js';
import type { EventPayload, PayloadForm } from './payload.js';

/** What decides whether a webhook hears of an event. */
export interface Subscription {
  readonly id: number;
  readonly type: WebhookType;
  readonly project_id: number | null;
  readonly organization_id: number | null;
  /** Its organization is still there. A webhook goes with its organization, whatever it belongs to. */
  readonly organization_exists: boolean;
  readonly events: readonly string[];
  readonly api_version: ApiVersion;
  readonly active_since: string;
}

/** A webhook with all that a dispatcher asks. */
export interface Subscriber extends Subscription, Shaping, Batching {}

type Placed = Pick<StoredEvent, 'name' | 'organizationId' | 'projectId' | 'occurredAt'>;

/** Webhooks that hear of an event: those of the organization, of the project, of the server. All are switched on. */
export function listenersOf<S extends Subscription>(event: Placed, subscriptions: readonly S[]): S[] {
  const heard = subscriptions.filter((subscription) => hears(subscription, event));
  return [
    ...heard.filter((subscription) => subscription.type === 'organization'),
    ...heard.filter((subscription) => subscription.type === 'project'),
    ...heard.filter((subscription) => subscription.type === 'server'),
  ];
}

function hears(subscription: Subscription, event: Placed): boolean {
  if (!subscription.events.includes(event.name)) return false;
  if (Date.parse(subscription.active_since) > Date.parse(event.occurredAt)) return false;
  const { type, project_id, organization_id } = subscription;
  if (type === 'server') return true;
  if (type === 'organization') return organization_id === event.organizationId;
  if (project_id !== event.projectId) return false;
  return organization_id === null || subscription.organization_exists || organization_id === event.organizationId;
}

/** Which of its events a webhook wants, and in which form. */
export interface Shaping {
  readonly id: number;
  readonly filter: Rule | null;
  readonly payload: PayloadForm;
}

/** @throws Invalid naming the place in the filter; null means none */
export function requireFilter(filter: unknown): void {
  try {
    if (filter !== null) parseRule(filter);
  } catch (error) {
    if (error instanceof RuleError) throw new Invalid({ filter: [error.message] });
    throw error;
  }
}

/** What the webhook's filter says of the whole payload, whatever form is sent; null without a filter. */
export function filterVerdict({ id, filter }: Shaping, told: EventPayload): Verdict | null {
  return filter === null ? null : evaluateRule(filter, { ...told.payload, webhook_id: id });
}

/** Does the webhook want this one? */
export const wants = (webhook: Shaping, payload: EventPayload): boolean =>
  filterVerdict(webhook, payload)?.passed ?? true;
