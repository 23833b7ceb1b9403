import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { pythonJson } from '../../engines/json/python-json.js';
import { identityOf } from '../access/current-actor.decorator.js';
import { Throttle } from '../access/throttle.js';
import { Clock } from '../clock.js';
import { type ApiError, Forbidden, Unauthenticated } from '../http/errors/errors.js';
import type { DENIALS, LOGIN_ACTIONS } from '../../shared/audit-actions.js';
import { EventLog } from './event-log.js';
import { type LoggedEvent, originColumns, requestOfPayload } from './logged-event.js';
import { originOf } from './origin.js';

/** Rejected requests of one address that are logged in a minute. A flood of them must not fill the disk. */
const MAX_PER_MINUTE = 600;
const MAX_TEXT = 2_000;
const MAX_STACK = 8_000;
/** Query parameters that can contain secrets. */
const SECRET = /^(.*(token|secret|password|sign|key).*)$/i;

const names = new WeakMap<Request, string>();

/** Remembers who a client says it is, before the password is checked. */
export function claimsToBe(request: Request, name: string): void {
  names.set(request, name);
}

/** A user as rows name them. */
interface NamedUser {
  readonly id: number;
  readonly username: string;
  readonly email: string;
}

/** Writes rows of the event log about requests: log-ins, and what was rejected. */
@Injectable()
export class RequestTrail {
  private readonly rejections: Throttle;

  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
  ) {
    this.rejections = new Throttle(MAX_PER_MINUTE, 60_000, () => clock.now().getTime());
  }

  /** @param request undefined on the command line */
  note(scope: (typeof LOGIN_ACTIONS)[number], request: Request | undefined, user: NamedUser): void {
    const origin = request === undefined ? null : originOf(request);
    const row: LoggedEvent = {
      event_time: this.clock.now().toISOString(),
      source: 'audit',
      scope,
      is_audit: true,
      obj_name: user.username,
      obj_id: user.id,
      user_id: user.id,
      user_name: user.username,
      user_email: user.email || null,
      payload: pythonJson({ request: requestOfPayload(origin) }),
      ...originColumns(origin),
    };
    this.log.add([row]);
  }

  /** Logs a request that ended with an error. Missing credentials are not an attempt of anything. */
  rejected(request: Request, known: ApiError, error: unknown): void {
    if (!request.path.startsWith('/api/') || known.status < 400 || isAnonymous(known)) return;
    if (this.rejections.hit(request.ip ?? '') > 0) return;
    const common = this.columnsOf(request);
    const exception: LoggedEvent = {
      ...common,
      source: 'server',
      scope: 'send:exception',
      count: 1,
      payload: exceptionPayload(request, known, error),
    };
    const denial = denialOf(request, known);
    this.log.add(
      denial === null ? [exception] : [exception, { ...common, ...denial, source: 'audit', is_audit: true }],
    );
  }

  private columnsOf(request: Request): Pick<LoggedEvent, 'event_time'> & Partial<LoggedEvent> {
    const actor = identityOf(request)?.actor;
    return {
      event_time: this.clock.now().toISOString(),
      user_id: actor?.id ?? null,
      user_name: actor?.username ?? null,
      user_email: actor?.email || null,
      ...originColumns(originOf(request)),
    };
  }
}

const isAnonymous = (known: ApiError): boolean => known instanceof Unauthenticated && !known.isRefusal;

/** The row of the audit log for a rejected request; null if it is only a mistake. */
function denialOf(
  request: Request,
  known: ApiError,
): (Partial<LoggedEvent> & { readonly scope: (typeof DENIALS)[number] }) | null {
  const identity = identityOf(request);
  const claimed = names.get(request);
  const payload = pythonJson({
    status_code: known.status,
    method: request.method,
    path: request.path.slice(0, MAX_TEXT),
    message: textsOf(known.body).join(' ').slice(0, MAX_TEXT),
    request: requestOfPayload(originOf(request)),
  });
  if (identity === undefined && (claimed !== undefined || known instanceof Unauthenticated))
    return { scope: 'deny:login', obj_name: claimed?.slice(0, MAX_TEXT) ?? null, payload };
  if (known.status !== 403) return null;
  const context = identity?.actor.context;
  const named = context?.kind === 'organization' ? context : null;
  const owner = known instanceof Forbidden ? known.organizationId : null;
  return {
    scope: 'deny:access',
    obj_name: `${request.method} ${request.path}`.slice(0, MAX_TEXT),
    payload,
    org_id: owner ?? named?.id ?? null,
    org_slug: named !== null && (owner === null || owner === named.id) ? named.slug : null,
    ...placeOf(request.path),
  };
}

/** The sentences of an error's body, without the fields they are about. */
function textsOf(body: unknown): string[] {
  if (typeof body === 'string') return [body];
  return typeof body === 'object' && body !== null ? Object.values(body).flatMap(textsOf) : [];
}

/** The object that a path names. */
function placeOf(path: string): Pick<LoggedEvent, 'project_id' | 'task_id' | 'job_id'> {
  const [, kind, id = ''] = /^\/api\/(project|task|job)s\/(\d{1,9})(?:\/|$)/.exec(path) ?? [];
  return kind === undefined ? {} : { [`${kind}_id`]: Number(id) };
}

function exceptionPayload(request: Request, known: ApiError, error: unknown): string {
  const { name, action } = routeOf(request);
  return pythonJson({
    basename: name,
    action,
    request: {
      url: request.path.slice(0, MAX_TEXT),
      query_params: shownQuery(request),
      content_type: request.headers['content-type']?.slice(0, MAX_TEXT) ?? null,
      method: request.method,
      ...requestOfPayload(originOf(request)),
    },
    message: (error instanceof Error ? error.message : String(error)).slice(0, MAX_TEXT),
    stack: error instanceof Error ? (error.stack ?? '').slice(0, MAX_STACK) : null,
    status_code: known.status,
  });
}

/** Without secrets. */
const shownQuery = ({ query }: Request): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name.slice(0, MAX_TEXT),
      SECRET.test(name) ? '…' : (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_TEXT),
    ]),
  );

const ACTIONS: Readonly<Record<string, string>> = { PATCH: 'partial_update', PUT: 'update', DELETE: 'destroy' };

/** The names of a route in the contract: `task` and `retrieve` for `GET /api/tasks/:id`. */
function routeOf({ path, method }: Request): { readonly name: string | null; readonly action: string | null } {
  const [, , collection = '', id, part] = path.split('/');
  if (collection === 'auth' || collection === '') return { name: null, action: null };
  const name = collection.replace(/s$/, '');
  if (part !== undefined && part !== '') return { name, action: part };
  const isOne = id !== undefined && id !== '';
  if (method === 'POST') return { name, action: isOne ? id : 'create' };
  if (method === 'GET') return { name, action: isOne ? 'retrieve' : 'list' };
  return { name, action: ACTIONS[method] ?? null };
}
