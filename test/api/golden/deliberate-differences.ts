export interface Difference {
  /** The reason, which docs/compatibility.md explains further. */
  readonly why: string;
  /** Our status, if it differs. The body is then not compared. */
  readonly status?: number;
  /** Keys left out of the comparison at any depth. */
  readonly ignore?: readonly string[];
  /** Headers left out of the comparison. */
  readonly ignoreHeaders?: readonly string[];
}

const OWN_TEXTS: Difference = {
  why: 'names and texts that describe the server are our own',
  ignore: ['name', 'description', 'version', 'logo_url', 'subtitle'],
};
const REAL_FORMATS: Difference = {
  why: 'only formats that are really there are listed',
  ignore: ['importers', 'exporters'],
};
const PLAIN_JSON: Difference = {
  why: 'Accept: application/json is answered: being strict would help nobody',
  status: 200,
};
const OTHER_PROJECTS: Difference = {
  why: 'the recorded server had more projects',
  ignore: ['count', 'next', 'results'],
};
const ASSIGNED: Difference = {
  why: 'assignee_updated_date moves only when the assignee changes',
  ignore: ['assignee_updated_date'],
};

const VERSION_NAMED: Difference = {
  why: 'an answer in a named version says so in its content type',
  ignoreHeaders: ['content-type'],
};

const NAMES_OF_EVENTS: Difference = { why: 'CVAT 2.73 lists events as objects', ignore: ['events'] };

const BULK: Difference = { why: 'jobs can be changed together: PATCH on the list', ignoreHeaders: ['allow'] };

/** Steps of the recorded transcript with deliberately different responses, by position. */
export const DELIBERATE: Readonly<Record<number, Difference>> = {
  0: OWN_TEXTS,
  2: REAL_FORMATS,
  4: NAMES_OF_EVENTS,
  5: NAMES_OF_EVENTS,
  7: VERSION_NAMED,
  9: PLAIN_JSON,
  57: OTHER_PROJECTS,
  84: { ...BULK, ...ASSIGNED },
  89: ASSIGNED,
  90: ASSIGNED,
  93: BULK,
  94: BULK,
  98: BULK,
  121: ASSIGNED,
};

/** Keys added to webhooks, deliveries, events and jobs: the version of the payload, and what newer clients know. */
export const ADDED_KEYS: readonly string[] = [
  'api_version', 'ordered', 'retry_schedule', 'rate_limit', 'max_concurrency', 'custom_headers', 'paused_until',
  'disabled_reason', 'timeout', 'attempt', 'request_duration', 'newer_events', 'filter', 'payload', 'batch_window', 'error',
  'project_name', 'task_name',
]; // prettier-ignore
