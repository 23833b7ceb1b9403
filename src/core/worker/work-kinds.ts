/** What there is to do in the background: hand events on, deliver webhooks, carry out requests, keep things in order. */
export const WORK_KINDS = ['events', 'webhooks', 'requests', 'upkeep'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];
