import { declareEvents, EVENTS_OF, type Operation } from '../../core/outbox/event-catalogue.js';

export { EVENTS_OF, WEBHOOK_TYPES, type WebhookType } from '../../core/outbox/event-catalogue.js';

const LIFE: readonly Operation[] = ['create', 'update', 'delete'];

declareEvents({ resource: 'project', operations: LIFE, ofProjects: ['update', 'delete'] });
declareEvents({ resource: 'task', operations: LIFE });
declareEvents({ resource: 'job', operations: LIFE });
declareEvents({ resource: 'issue', operations: LIFE });
declareEvents({ resource: 'comment', operations: LIFE });
declareEvents({ resource: 'organization', operations: ['update', 'delete'], ofProjects: [] });
declareEvents({ resource: 'invitation', operations: ['create', 'delete'], ofProjects: [] });
declareEvents({ resource: 'membership', operations: LIFE, ofProjects: [] });

/** Every event there is, sorted: organization webhooks hear of all. */
export const ALL_EVENTS = EVENTS_OF.organization;

/** The event that a webhook is asked to send about itself. Nobody subscribes to it. */
export const PING = 'ping';

/** Key of the object in the payload of an event: `task` for `update:task`. */
export const resourceOf = (event: string): string => event.slice(event.indexOf(':') + 1);
