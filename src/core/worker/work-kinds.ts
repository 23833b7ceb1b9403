/** The types of background work: relay events, deliver webhooks, process requests, upkeep. */
export const WORK_KINDS = ['events', 'webhooks', 'requests', 'upkeep'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];
