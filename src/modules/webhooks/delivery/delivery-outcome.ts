import { nextAttempt } from '../../../engines/sender/retry.js';
import type { LeasedDelivery, Outcome } from './delivery.queue.js';
import type { Sent } from './webhook-sender.js';

export interface RetryRules {
  /** Milliseconds before each attempt; the first is the one made at once. */
  readonly schedule: readonly number[];
  readonly now: Date;
  readonly random: () => number;
}

const SWITCHED_OFF =
  'it is gone for good, so the webhook has been switched off; switch it on when the receiver is back';

/** What follows from a try: done, once more later, given up, or given back because it was no try. */
export function outcomeOf(
  delivery: Pick<LeasedDelivery, 'id' | 'lease' | 'attempts'>,
  sent: Sent,
  rules: RetryRules,
): Outcome {
  const { id, lease, attempts } = delivery;
  if (sent.stopped) {
    return { id, lease, attempts, attempt: null, status: 'pending', nextAttemptAt: rules.now, disable: false };
  }
  if (sent.error === null) {
    return { id, lease, attempts, attempt: sent, status: 'delivered', nextAttemptAt: null, disable: false };
  }
  const next = nextAttempt({
    attempt: delivery.attempts + 1,
    status: sent.statusCode,
    retryAfter: sent.retryAfter,
    now: rules.now,
    random: rules.random,
    schedule: rules.schedule,
  });
  if (next instanceof Date && !sent.hopeless) {
    return { id, lease, attempts, attempt: sent, status: 'pending', nextAttemptAt: next, disable: false };
  }
  const disable = next === 'disable';
  const attempt = disable ? { ...sent, error: `${sent.error}: ${SWITCHED_OFF}` } : sent;
  return { id, lease, attempts, attempt, status: 'failed', nextAttemptAt: null, disable };
}
