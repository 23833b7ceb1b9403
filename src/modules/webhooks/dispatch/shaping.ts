import { Invalid } from '../../../core/http/errors.js';
import { evaluateRule, parseRule, type Rule, RuleError, type Verdict } from '../../../engines/filter/rule.js';
import type { EventPayload, PayloadForm } from './payload.js';

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
