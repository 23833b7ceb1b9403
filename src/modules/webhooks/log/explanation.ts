import type { StoredEvent } from '../../../core/events/event-map.js';
import type { Verdict } from '../../../engines/filter/rule.js';
import type { ExplanationStepDto } from './explanation.dto.js';
import type { WebhookRow } from '../subscriptions/webhook.mapper.js';

/** What is known about a webhook and an event when it is asked whether it fires. */
export interface Known {
  readonly webhook: WebhookRow & { readonly active_since: string };
  readonly event: string;
  /** The newest stored event of the scope. */
  readonly stored: StoredEvent | null;
  /** What the filter says of it; null without a filter or an event. */
  readonly filter: Verdict | null;
  /** Nothing but the date changed. */
  readonly isSave: boolean;
  /** The oldest delivery that is not finished. */
  readonly oldestUnfinished: { readonly id: number; readonly created_date: string } | null;
  readonly now: Date;
}

type Step = ExplanationStepDto;

const SCOPES = { project: 'project', organization: 'organization', server: 'server' } as const;

/** Why a webhook would fire or not, in the order in which it is decided. */
export function explain(known: Known): Step[] {
  return [active(known), subscribed(known), happened(known), since(known), filter(known), ...delays(known)].filter(
    (step) => step !== null,
  );
}

/** Null: it depends on the event. */
export function fires(steps: readonly Step[]): boolean | null {
  if (steps.some(({ verdict }) => verdict === 'stops')) return false;
  return steps.some(({ verdict }) => verdict === 'unknown') ? null : true;
}

function active({ webhook }: Known): Step {
  if (webhook.is_active) return { step: 'active', verdict: 'passes', reason: 'The webhook is switched on.' };
  const why = webhook.disabled_reason === null ? '' : ` by the server: ${webhook.disabled_reason}`;
  return { step: 'active', verdict: 'stops', reason: `The webhook is switched off${why || '.'}` };
}

function subscribed({ webhook, event }: Known): Step {
  if (webhook.events.includes(event))
    return { step: 'subscribed', verdict: 'passes', reason: `The webhook has subscribed to ${event}.` };
  return { step: 'subscribed', verdict: 'stops', reason: `The webhook has not subscribed to ${event}.` };
}

function happened({ webhook, event, stored }: Known): Step {
  const scope = SCOPES[webhook.type];
  if (stored !== null)
    return {
      step: 'happened',
      verdict: 'passes',
      reason: `The newest ${event} of the ${scope} that is still kept is of ${stored.occurredAt}.`,
    };
  return {
    step: 'happened',
    verdict: 'unknown',
    reason: `No such ${event} of the ${scope} is kept: it has not happened, it was too long ago, or the object is elsewhere.`,
  };
}

function since({ webhook, stored }: Known): Step | null {
  if (stored === null) return null;
  const early = Date.parse(webhook.active_since) > Date.parse(stored.occurredAt);
  return early
    ? {
        step: 'since',
        verdict: 'stops',
        reason: `The webhook has been on since ${webhook.active_since}, which is later.`,
      }
    : { step: 'since', verdict: 'passes', reason: `The webhook has been on since ${webhook.active_since}.` };
}

function filter({ webhook, stored, filter: verdict }: Known): Step {
  if (webhook.filter === null) return { step: 'filter', verdict: 'passes', reason: 'There is no filter.' };
  if (stored === null || verdict === null)
    return { step: 'filter', verdict: 'unknown', reason: 'The filter needs an event to be judged.' };
  const values = verdict.seen;
  if (verdict.exhausted)
    return {
      step: 'filter',
      verdict: 'passes',
      reason: 'The filter takes too long for this event, so it passes.',
      values,
    };
  return verdict.passed
    ? { step: 'filter', verdict: 'passes', reason: 'The filter is true for it.', values }
    : { step: 'filter', verdict: 'stops', reason: 'The filter is false for it.', values };
}

/** What lets deliveries wait. */
function delays({ webhook, isSave, oldestUnfinished, now }: Known): Step[] {
  const steps: Step[] = [];
  if (webhook.paused_until !== null && new Date(webhook.paused_until) > now)
    steps.push({
      step: 'paused',
      verdict: 'waits',
      reason: `Too much has failed: nothing is sent before ${webhook.paused_until}.`,
    });
  if (webhook.batch_window !== null && isSave)
    steps.push({
      step: 'batch',
      verdict: 'waits',
      reason: `It is a save: those of ${webhook.batch_window} seconds are sent as one.`,
    });
  if (webhook.ordered && oldestUnfinished !== null)
    steps.push({
      step: 'order',
      verdict: 'waits',
      reason: `Deliveries go one at a time, and number ${oldestUnfinished.id} of ${oldestUnfinished.created_date} is not finished.`,
    });
  const { rate_limit: rate, max_concurrency: most } = webhook;
  const limits = [...(rate === null ? [] : [`${rate} a second`]), ...(most === null ? [] : [`${most} at a time`])];
  if (limits.length > 0)
    steps.push({ step: 'pace', verdict: 'waits', reason: `No more than ${limits.join(' and ')} are sent.` });
  return steps;
}
