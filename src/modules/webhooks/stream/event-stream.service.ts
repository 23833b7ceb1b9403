import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ActorReloader } from '../../../core/access/actor-reloader.js';
import { Db } from '../../../core/database/db.js';
import { Forbidden, Invalid, NotFound } from '../../../core/http/errors/errors.js';
import { EventChannels } from '../../../core/http/response/server-sent-events.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { listOrganization } from '../../../core/list/list.service.js';
import { API_VERSIONS, type ApiVersion, LATEST_VERSION } from '../../../core/versioning/accept.js';
import { Representations } from '../../../core/versioning/representations.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { ALL_EVENTS } from '../../../core/events/event-declaration.js';
import { EventFeed, EventStream, readCursor, type StreamSource } from './event-stream.js';
import {
  type Cursor,
  type EventAccess,
  type StreamedEvent,
  type StreamFilter,
  StreamRepository,
} from './stream.repository.js';
import { eventPayload } from '../../../core/events/payload.js';

const MAX_ID = 2 ** 31 - 1;

/** Streams of events. */
@Injectable()
export class EventStreamService {
  constructor(
    private readonly db: Db,
    private readonly feed: EventFeed,
    private readonly events: StreamRepository,
    private readonly representations: Representations,
    private readonly channels: EventChannels,
    private readonly actors: ActorReloader,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Responds with a stream that ends with the connection, or after some minutes.
   * @throws Invalid, NotFound, Forbidden, Throttled
   */
  async stream(actor: Actor, request: Request, response: Response): Promise<void> {
    const { query } = request;
    const filter = filterOf(actor, query);
    const version = versionOf(query['version']);
    const given = cursorOf(request.headers['last-event-id'] ?? query['last_event_id']);
    const access = await this.events.access(this.db, actor);
    if (filter.projectId !== null) await this.requireProject(filter.projectId, access);
    const now = await this.events.now(this.db);
    if (given !== undefined && now.isBefore(given)) throw notAnId();
    const begin = given ?? now;
    const channel = this.channels.begin(actor, response, () => void stream.heartbeat());
    const currentActor = (): Promise<Actor> => this.actors.reload(actor, request);
    const stream = new EventStream(
      channel,
      this.sourceFor(currentActor, filter, version),
      filter,
      version,
      access,
      begin,
    );
    try {
      const leave = await this.feed.listen(version, (events) => stream.offer(events));
      if (channel.closed) return leave();
      channel.onClose(leave);
    } catch {
      return channel.break(); // the database is not available: the client reconnects
    }
    await stream.catchUp();
  }

  /** The stored events of a deleted project can still be read. @throws NotFound, Forbidden */
  private async requireProject(id: number, access: EventAccess): Promise<void> {
    const project = await this.events.project(this.db, id);
    if (project === undefined) throw NotFound.of('Project');
    const organization = project.organization_id;
    const mayReceive =
      access.everywhere || access.projects.has(id) || (organization !== null && access.organizations.has(organization));
    if (project.exists && !mayReceive) throw new Forbidden();
  }

  private sourceFor(currentActor: () => Promise<Actor>, filter: StreamFilter, version: ApiVersion): StreamSource {
    return {
      after: (cursor, limit, access) => this.events.after(this.db, cursor, limit, version, { access, filter }),
      access: async () => this.events.access(this.db, await currentActor()),
      payload: (event, version) => this.payload(event, version),
    };
  }

  /** An event that cannot be shown must not end the stream, which would begin again with it. */
  private payload(event: StreamedEvent, version: ApiVersion): object | null {
    try {
      return eventPayload(event, version, this.representations).payload;
    } catch (error) {
      this.log.error({ err: error, event: event.name, id: event.id }, 'an event cannot be sent to event streams');
      return null;
    }
  }
}

type Query = Readonly<Record<string, unknown>>;

/** @throws Invalid for an invalid query, Forbidden for an organization the actor does not belong to */
function filterOf(actor: Actor, query: Query): StreamFilter {
  const organization = listOrganization(actor);
  const organizationId = organization === 'any' ? undefined : organization === 'sandbox' ? null : organization.id;
  return { events: eventsOf(query['event']), projectId: projectOf(query['project_id']), organizationId };
}

function eventsOf(given: unknown): ReadonlySet<string> | null {
  if (given === undefined) return null;
  const names = [given].flat().flatMap((names) => (typeof names === 'string' ? names.split(',') : ['']));
  const unknown = names.find((name) => !ALL_EVENTS.includes(name));
  if (unknown !== undefined) throw new Invalid({ event: [`"${unknown.slice(0, 100)}" is not a valid choice.`] });
  return new Set(names);
}

function projectOf(given: unknown): number | null {
  if (given === undefined) return null;
  const id = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : 0;
  if (id < 1 || id > MAX_ID) throw new Invalid({ project_id: ['A valid integer is required.'] });
  return id;
}

function versionOf(given: unknown): ApiVersion {
  const known = given === undefined ? LATEST_VERSION : API_VERSIONS.find((version) => version === given);
  if (known === undefined) throw new Invalid({ version: [`Choose one of ${API_VERSIONS.join(', ')}.`] });
  return known;
}

function cursorOf(given: unknown): Cursor | undefined {
  if (given === undefined || given === '') return undefined;
  const cursor = typeof given === 'string' ? readCursor(given) : undefined;
  if (cursor === undefined) throw notAnId();
  return cursor;
}

const notAnId = (): Invalid => new Invalid({ 'Last-Event-ID': ['This is not the id of an event of this server.'] });
