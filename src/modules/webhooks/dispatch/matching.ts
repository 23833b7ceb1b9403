import type { StoredEvent } from '../../../core/events/event-map.js';
import type { ApiVersion } from '../../../core/versioning/accept.js';
import type { WebhookType } from '../event-catalogue.js';
import type { Batching } from './batches.js';
import { Invalid } from '../../../core/http/errors/errors.js';
import { evaluateRule, parseRule, type Rule, RuleError, type Verdict } from '../../../engines/filter/rule.js';
import type { EventPayload, PayloadForm } from '../../../core/events/payload.js';

/** What decides whether a webhook receives an event. */
export interface Subscription {
  readonly id: number;
  readonly type: WebhookType;
  readonly project_id: number | null;
  readonly organization_id: number | null;
  /** Whether its organization exists. Any webhook is deleted with its organization, even a webhook of a project. */
  readonly organization_exists: boolean;
  readonly events: readonly string[];
  readonly api_version: ApiVersion;
  readonly active_since: string;
}

/** A webhook with everything that the dispatcher needs. */
export interface Subscriber extends Subscription, PayloadOptions, Batching {}

type DispatchedEvent = Pick<StoredEvent, 'name' | 'organizationId' | 'projectId' | 'occurredAt'>;

/** Webhooks that receive an event: those of the organization, then of the project, then of the server. All are active. */
export function subscribersOf<S extends Subscription>(event: DispatchedEvent, subscriptions: readonly S[]): S[] {
  const matched = subscriptions.filter((subscription) => matches(subscription, event));
  return [
    ...matched.filter((subscription) => subscription.type === 'organization'),
    ...matched.filter((subscription) => subscription.type === 'project'),
    ...matched.filter((subscription) => subscription.type === 'server'),
  ];
}

function matches(subscription: Subscription, event: DispatchedEvent): boolean {
  if (!subscription.events.includes(event.name)) return false;
  if (Date.parse(subscription.active_since) > Date.parse(event.occurredAt)) return false;
  const { type, project_id, organization_id } = subscription;
  if (type === 'server') return true;
  if (type === 'organization') return organization_id === event.organizationId;
  if (project_id !== event.projectId) return false;
  return organization_id === null || subscription.organization_exists || organization_id === event.organizationId;
}

/** The filter of a webhook and the form of its payloads. */
export interface PayloadOptions {
  readonly id: number;
  readonly filter: Rule | null;
  readonly payload: PayloadForm;
}

/** @throws Invalid with the position in the filter; null means no filter */
export function requireFilter(filter: unknown): void {
  try {
    if (filter !== null) parseRule(filter);
  } catch (error) {
    if (error instanceof RuleError) throw new Invalid({ filter: [error.message] });
    throw error;
  }
}

/**
 * The result of the webhook's filter on the full payload, regardless of the form that is sent; null without a filter.
 */
export function filterVerdict({ id, filter }: PayloadOptions, payload: EventPayload): Verdict | null {
  return filter === null ? null : evaluateRule(filter, { ...payload.payload, webhook_id: id });
}

/** Whether the filter of the webhook accepts the payload. */
export const passesFilter = (webhook: PayloadOptions, payload: EventPayload): boolean =>
  filterVerdict(webhook, payload)?.passed ?? true;
