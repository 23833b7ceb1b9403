import { Injectable } from '@nestjs/common';
import { requireAll } from '../../../core/access/require.js';
import { Clock } from '../../../core/clock.js';
import { EventLog } from '../../../core/event-log/event-log.js';
import { type LoggedEvent, originColumns, requestOfPayload } from '../../../core/event-log/logged-event.js';
import { currentOrigin } from '../../../core/event-log/origin.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { ApiError, Invalid, Unavailable } from '../../../core/http/errors/errors.js';
import { pythonJson } from '../../../engines/json/python-json.js';
import { isDeeperThan } from '../../../engines/json/json-value.js';
import { type Actor, contextOrganization, type RequestOrigin } from '../../../shared/policy/actor.js';
import { loggedEventPolicy } from '../../../shared/policy/event.policy.js';
import {
  type AcceptedEventDto,
  type AcceptedEventsDto,
  CLIENT_SCOPES,
  type ClientEventDto,
  type ClientEventsDto,
} from './client-event.dto.js';
import { isoTime, isShowable, microseconds } from '../../../core/wire-time.js';
import { type TimedEvent, type WorkingTime, workingTimes } from './working-time.js';

/** Counts for the working time, but is not stored. */
const ACTIVITY = 'user:activity';
const MAX_PAYLOAD_DEPTH = 64;

/** The person and the organization of a request, as columns. */
type Person = Pick<LoggedEvent, 'user_id' | 'user_name' | 'user_email' | 'org_id' | 'org_slug'>;

/** Stores what clients report, and computes working times from it. */
@Injectable()
export class ClientEventsService {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
  ) {}

  /** @throws Forbidden, Invalid, ApiError 400, Unavailable if too many events wait for the database */
  async receive(actor: Actor, body: Unvalidated<ClientEventsDto>): Promise<AcceptedEventsDto> {
    requireAll(loggedEventPolicy, ['send'], actor, { organization: contextOrganization(actor) });
    const { events = [], previous_event: previous, timestamp } = body.validate();
    const correction = this.clock.now().getTime() * 1000 - microseconds(timestamp);
    const person = personOf(actor);
    const accepted = events.map((event) => accept(corrected(event, correction), person));
    const before = previous == null ? null : corrected(previous, correction);
    const origin = currentOrigin();
    const times = workingTimes(accepted.map(timed), before === null ? null : timed(before));
    const rows = [
      ...times.map((time) => workingTimeRow(time, person, origin)),
      ...accepted.filter(({ scope }) => scope !== ACTIVITY).map((event) => clientRow(event, origin)),
    ];
    if (!this.log.add(rows)) throw new Unavailable('Too many events are waiting to be stored. Send them again later.');
    await this.log.settled();
    return { events: accepted, previous_event: before, timestamp };
  }
}

const personOf = (actor: Actor): Person => ({
  user_id: actor.id,
  user_name: actor.username,
  user_email: actor.email || null,
  org_id: contextOrganization(actor)?.id ?? null,
  org_slug: actor.context.kind === 'organization' ? actor.context.slug : null,
});

/** @throws Invalid for a time that cannot be shown */
function corrected(event: ClientEventDto, correction: number): AcceptedEventDto {
  const time = microseconds(event.timestamp) + correction;
  if (!isShowable(time)) throw new Invalid({ timestamp: ['The year must be between 1 and 9999.'] });
  const { duration = 0, ...sent } = event;
  const keys = Object.entries(sent).filter(([, value]) => value !== undefined);
  return { ...(Object.fromEntries(keys) as typeof sent), timestamp: isoTime(time), duration };
}

/** @throws ApiError 400 for an unknown scope or a payload that is not JSON */
function accept(event: AcceptedEventDto, person: Person): AcceptedEventDto {
  const { scope, source = 'client', payload } = event;
  if (source !== 'client' || !CLIENT_SCOPES.has(scope))
    throw new ApiError(400, { scope: `Event scope **${scope}** is not allowed from ${source ?? 'None'}` });
  return { ...event, source, payload: payload == null ? '{}' : normalized(payload), ...person };
}

function normalized(payload: string): string {
  try {
    const value: unknown = JSON.parse(payload);
    if (!isDeeperThan(value, MAX_PAYLOAD_DEPTH)) return pythonJson(value);
  } catch {
    // reported below
  }
  throw new ApiError(400, { payload: 'JSON payload is not valid in passed event' });
}

const timed = (event: AcceptedEventDto): TimedEvent => ({
  scope: event.scope,
  time: microseconds(event.timestamp),
  duration: event.duration,
  job_id: event.job_id ?? null,
  task_id: event.task_id ?? null,
  project_id: event.project_id ?? null,
});

const clientRow = ({ timestamp, ...event }: AcceptedEventDto, origin: RequestOrigin | null): LoggedEvent => ({
  ...event,
  source: 'client',
  event_time: timestamp,
  ...originColumns(origin),
});

function workingTimeRow(worked: WorkingTime, person: Person, origin: RequestOrigin | null): LoggedEvent {
  const { time, duration, job_id, task_id, project_id } = worked;
  return {
    event_time: isoTime(time),
    source: 'server',
    scope: 'send:working_time',
    count: 1,
    duration,
    project_id,
    task_id,
    job_id,
    payload: pythonJson({ working_time: duration, request: requestOfPayload(origin) }),
    ...person,
    ...originColumns(origin),
  };
}
