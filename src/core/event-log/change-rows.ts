import { pythonJson, pythonText } from '../../engines/json/python-json.js';
import { RECORDED_RESOURCES } from '../../shared/audit-actions.js';
import type { RequestOrigin } from '../../shared/policy/actor.js';
import { type LoggedEvent, originColumns, requestOfPayload } from './logged-event.js';

type WireObject = Readonly<Record<string, unknown>>;

/** Who changed something, where and when. */
interface Cause {
  readonly sender: { readonly id: number; readonly username: string } | null;
  readonly occurredAt: string;
  readonly organizationId: number | null;
  readonly projectId: number | null;
  readonly context?:
    | {
        readonly origin?: RequestOrigin | null;
        readonly taskId?: number | null;
        readonly jobId?: number | null;
      }
    | null
    | undefined;
}

/** A change of one object. */
export interface ObjectChange extends Cause {
  /** `update:task`, … */
  readonly name: string;
  readonly after: { readonly object: WireObject };
  readonly before?: { readonly object: WireObject } | undefined;
}

/** What rows show in addition to an event. */
export interface Names {
  /** E-mail addresses of users. */
  readonly emails: ReadonlyMap<number, string>;
  /** Slugs of organizations. */
  readonly slugs: ReadonlyMap<number, string>;
}

/** The property that names an object. */
const NAME_OF: Readonly<Record<string, string | null>> = {
  ...RECORDED_RESOURCES,
  password: 'username',
  session: 'username',
};

/** Resources that the contract does not log: only the audit log shows their rows. */
const AUDIT_ONLY: ReadonlySet<string> = new Set(['access_token', 'password', 'session']);

/** Properties that the payload of a creation leaves out. */
const NOT_IN_PAYLOAD: ReadonlySet<string> = new Set([
  'slug', 'id', 'name', 'username', 'display_name', 'message', 'organization', 'project', 'size', 'task', 'tasks', 'job',
  'jobs', 'comments', 'url', 'issues', 'attributes', 'key', 'custom_headers', 'secret',
]); // prettier-ignore

/** Properties whose changes are not logged: they follow from changes of other objects. */
const NOT_LOGGED: ReadonlySet<string> = new Set([
  'labels', 'updated_date', 'url', 'jobs', 'tasks', 'issues', 'comments', 'task_subsets',
  'custom_headers', 'secret',
]); // prettier-ignore

/** The rows of an event about one object; none for other events. */
export function rowsOf(event: ObjectChange, names: Names): LoggedEvent[] {
  const [operation = '', resource = ''] = event.name.split(':');
  if (resource === 'request') return [requestRow(event, names)];
  if (event.name === 'call:function') return [callRow(event, names)];
  if (!Object.hasOwn(NAME_OF, resource)) return [];
  const object = event.after.object;
  const common = { ...commonColumns(event, names), ...placeOf(event, resource), scope: event.name };
  const shared = AUDIT_ONLY.has(resource) ? { ...common, source: 'audit' as const } : common;
  const rows = operation === 'update' ? updateRows(event, object, shared) : [];
  if (operation !== 'update')
    rows.push({
      ...shared,
      ...(resource === 'organization' ? { org_slug: textOf(object['slug']) } : {}),
      obj_name: textOf(object[NAME_OF[resource] ?? '']),
      obj_id: typeof object['id'] === 'number' ? object['id'] : null,
      payload: payloadOf(event, operation === 'create' ? creationPayload(object) : {}),
    });
  return resource === 'access_token' ? rows.flatMap((row) => [row, exportedRow(row)]) : rows;
}

/** The contract has another name for changes of access tokens, which older records of the audit log do not have. */
const exportedRow = (row: LoggedEvent): LoggedEvent => ({
  ...row,
  scope: row.scope.replace('access_token', 'accesstoken'),
  source: 'server',
  is_audit: false,
});

/** Requests of these types are logged under one name. */
const DATASET = /^(export|import):(annotations|dataset)$/;

/** An export or import, when it is requested. The contract knows those of datasets. */
function requestRow(event: ObjectChange, names: Names): LoggedEvent {
  const { type, task_id: task, job_id: job, ...payload } = event.after.object;
  const [, action] = DATASET.exec(String(type)) ?? [];
  const common = { ...commonColumns(event, names), task_id: idOf(task), job_id: idOf(job) };
  const details = { ...common, payload: payloadOf(event, payload) };
  return action === undefined
    ? { ...details, scope: String(type), source: 'audit' }
    : { ...details, scope: `${action}:dataset` };
}

/**
 * A call of a function that annotates. The object is the payload, plus the ids of the task and the job. Only calls for a
 * whole task are in the audit log: people make thousands of interactive ones, and what they save is logged anyway.
 */
function callRow(event: ObjectChange, names: Names): LoggedEvent {
  const { task_id: task, job_id: job, ...payload } = event.after.object;
  const common = commonColumns(event, names);
  return {
    ...common,
    scope: event.name,
    is_audit: payload['category'] === 'batch',
    task_id: idOf(task) ?? common.task_id ?? null,
    job_id: idOf(job),
    payload: payloadOf(event, payload),
  };
}

/** Who caused an event, where and when. */
export function commonColumns(
  { sender, occurredAt, organizationId, projectId, context }: Cause,
  { emails, slugs }: Names,
): Omit<LoggedEvent, 'scope'> {
  return {
    event_time: occurredAt,
    source: 'server',
    is_audit: true,
    user_id: sender?.id ?? null,
    user_name: sender?.username ?? null,
    user_email: (sender === null ? undefined : emails.get(sender.id)) ?? null,
    org_id: organizationId,
    org_slug: organizationId === null ? null : (slugs.get(organizationId) ?? null),
    project_id: projectId,
    task_id: context?.taskId ?? null,
    job_id: context?.jobId ?? null,
    ...originColumns(context?.origin),
  };
}

export const payloadOf = ({ context }: Cause, more: object): string =>
  pythonJson({ ...more, request: requestOfPayload(context?.origin) });

/** The objects above the object of the event, as far as it names them. */
function placeOf({ after: { object } }: ObjectChange, resource: string): Partial<LoggedEvent> {
  const id = idOf(object['id']);
  if (resource === 'project') return { project_id: id };
  if (resource === 'task') return { task_id: id };
  if (resource === 'job') return { job_id: id, task_id: idOf(object['task_id']) };
  if (resource === 'issue') return { job_id: idOf(object['job']) };
  if (resource === 'label') return { task_id: idOf(object['task_id']), project_id: idOf(object['project_id']) };
  if (resource === 'invitation') return { org_slug: null };
  return {};
}

/** A row for each changed property. */
function updateRows(event: ObjectChange, after: WireObject, shared: LoggedEvent): LoggedEvent[] {
  const before = event.before?.object;
  // Some events do not say what was before: the row only says that the object changed.
  if (before === undefined)
    return [{ ...shared, obj_id: idOf(after['id']), obj_name: textOf(after['name']), payload: payloadOf(event, {}) }];
  const object = { id: after['id'] ?? null, name: textOf(after[NAME_OF[event.name.split(':')[1] ?? ''] ?? '']) };
  return Object.keys(after)
    .filter((key) => !NOT_LOGGED.has(key) && JSON.stringify(after[key]) !== JSON.stringify(before[key]))
    .map((key) => ({
      ...shared,
      obj_name: key,
      obj_id: isObject(after[key]) ? idOf(after[key]['id']) : null,
      obj_val: pythonText(withoutUrls(after[key])),
      payload: payloadOf(event, { old_value: withoutUrls(before[key] ?? null), object }),
    }));
}

const creationPayload = (object: WireObject): WireObject =>
  Object.fromEntries(
    Object.entries(object)
      .filter(([key]) => !NOT_IN_PAYLOAD.has(key))
      .map(([key, value]) => [key, withoutUrls(value)]),
  );

/** Nested objects without their URLs. */
const withoutUrls = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'url')) : value;

const isObject = (value: unknown): value is WireObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const idOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
