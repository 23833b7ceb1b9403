import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Request, Response } from 'express';
import { identityOf } from '../../core/access/current-actor.decorator.js';
import { ActorReloader } from '../../core/access/actor-reloader.js';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Forbidden, Invalid, NotFound } from '../../core/http/errors/errors.js';
import { type EventChannel, EventChannels } from '../../core/http/response/server-sent-events.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { Notifier } from '../../core/worker/notifier.js';
import { Poller } from '../../core/worker/poller.js';
import type { Actor } from '../../shared/policy/actor.js';
import { JobService } from '../jobs/index.js';
import type { PresenceDto } from './presence.dto.js';
import { PresenceRepository, type PresentWindow, toPresence } from './presence.repository.js';

/** Windows of a process that has died disappear after this time. */
const EXPIRY_MS = 20_000;
const REFRESH_MS = 5_000;
/**
 * The server ends a stream after this time, and its client reconnects: a computer that has lost its network does not, and
 * its user disappears.
 */
const STREAM_MS = 60_000;
/** Within this time, a client reconnects. */
const RECONNECT_MS = 10_000;
const POLL_MS = 500;
/** At most one reading per interval, however many events there are. */
const GATHER_MS = 200;
const WINDOW_ID = /^[\w-]{1,64}$/;

/** Streams who has a job open, and when its state or its annotations change. */
@Injectable()
export class PresenceService implements OnApplicationShutdown {
  private readonly viewers = new Set<Viewer>();
  private poller: Poller | undefined;
  private readonly stopListening: (() => void)[] = [];
  private refreshed = 0;

  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly rows: PresenceRepository,
    private readonly jobs: JobService,
    private readonly channels: EventChannels,
    private readonly actors: ActorReloader,
    private readonly notifier: Notifier,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Responds with a stream. As long as it is open, the actor is in the job, unless the credential is only for reading.
   * @throws NotFound, Forbidden, Invalid, Throttled
   */
  async stream(actor: Actor, jobId: number, request: Request, response: Response): Promise<void> {
    await this.jobs.require(this.db, actor, jobId, 'view');
    const windowId = windowOf(request.query['window']);
    const requireView = async (): Promise<void> => {
      await this.jobs.require(this.db, await this.actors.reload(actor, request), jobId, 'view');
    };
    const channel = this.channels.begin(actor, response, () => void viewer.heartbeat());
    const window = { jobId, userId: actor.id, windowId, since: this.clock.now() };
    const isHidden = identityOf(request)?.credential.readOnly ?? false;
    const viewer = new Viewer(isHidden, window, actor.baseUrl, channel, requireView);
    if (channel.closed) return;
    this.viewers.add(viewer);
    const timer = setTimeout(() => viewer.end(), STREAM_MS);
    channel.onClose(() => {
      clearTimeout(timer);
      this.leave(viewer);
    });
    this.start();
    if (isHidden) return this.poller?.wake();
    try {
      await this.refresh([window]);
      if (channel.closed) this.leave(viewer);
    } catch {
      channel.break(); // the database is not available: the client reconnects
    }
  }

  async onApplicationShutdown(): Promise<void> {
    for (const stop of this.stopListening) stop();
    await this.poller?.stop();
  }

  private start(): void {
    if (this.stopListening.length === 0) {
      const wake = (): void => this.poller?.wake();
      this.stopListening.push(this.notifier.listen('events', wake), this.notifier.listen('presence', wake));
    }
    if (this.poller !== undefined) return;
    this.poller = new Poller(
      'presence',
      () => this.notifier.pollMs(POLL_MS),
      () => this.read(),
      this.log,
    );
    this.poller.start();
  }

  /** Reads the open jobs, and shows them to their viewers. */
  private async read(): Promise<boolean> {
    if (this.clock.now().getTime() - this.refreshed >= REFRESH_MS) await this.refresh();
    const ids = new Set(Array.from(this.viewers, ({ window }) => window.jobId));
    const found = await this.rows.find(this.db, [...ids], this.clock.now());
    for (const viewer of this.viewers) {
      const job = found.get(viewer.window.jobId);
      viewer.show(job === undefined ? NO_JOB : toPresence(job, viewer.baseUrl));
    }
    await pause(GATHER_MS, undefined, { ref: false });
    return false;
  }

  /** @param windows default: all windows of this process */
  private async refresh(windows?: readonly PresentWindow[]): Promise<void> {
    const now = this.clock.now();
    if (windows === undefined) this.refreshed = now.getTime();
    const all = windows ?? this.shown().map(({ window }) => window);
    if (all.length === 0) return;
    const distinct = new Map(all.map((one) => [keyOf(one), one]));
    const expiry = new Date(now.getTime() + EXPIRY_MS);
    await this.work.run((tx) => this.rows.refresh(tx, [...distinct.values()], expiry));
    if (windows !== undefined) this.notifier.notify('presence');
  }

  private shown(): Viewer[] {
    return [...this.viewers].filter(({ isHidden }) => !isHidden);
  }

  private leave(viewer: Viewer): void {
    this.viewers.delete(viewer);
    if (this.viewers.size === 0) {
      void this.poller?.stop();
      this.poller = undefined;
    }
    const { window, isReconnecting, isHidden } = viewer;
    if (isHidden || this.shown().some((other) => keyOf(other.window) === keyOf(window))) return;
    const expiry = new Date(this.clock.now().getTime() + (isReconnecting ? RECONNECT_MS : 0));
    void this.work
      .run((tx) => this.rows.expire(tx, window, expiry))
      .then(() => this.notifier.notify('presence'))
      .catch(() => undefined); // the row expires soon
  }
}

const NO_JOB: PresenceDto = { people: [], revision: 0, job: null };

/** @throws Invalid */
function windowOf(given: unknown): string {
  if (given === undefined) return randomUUID();
  if (typeof given !== 'string' || !WINDOW_ID.test(given))
    throw new Invalid({ window: ['Use up to 64 letters, digits, hyphens and underscores.'] });
  return given;
}

const keyOf = ({ jobId, userId, windowId }: PresentWindow): string => `${jobId} ${userId} ${windowId}`;

/** A stream and its client. A client that is slow gets only the latest state. */
class Viewer {
  /** Whether the server has ended the stream, so that the client reconnects. */
  isReconnecting = false;
  private latest: PresenceDto | undefined;
  private sent = '';
  private sentJob = '';
  private isSending = false;

  constructor(
    /** Whether nobody sees that the actor is in the job. */
    readonly isHidden: boolean,
    readonly window: PresentWindow,
    readonly baseUrl: string,
    private readonly channel: EventChannel,
    /** Throws if the actor can no longer view the job. */
    private readonly requireView: () => Promise<void>,
  ) {}

  show(state: PresenceDto): void {
    this.latest = state;
    if (!this.isSending) void this.send();
  }

  /** Checks the permission again, and keeps the connection alive. */
  async heartbeat(): Promise<void> {
    if (await this.mayView()) this.channel.heartbeat();
  }

  end(): void {
    this.isReconnecting = true;
    this.channel.end();
  }

  private async send(): Promise<void> {
    this.isSending = true;
    for (;;) {
      const text = JSON.stringify(this.latest);
      if (this.channel.closed || this.latest === undefined || text === this.sent) break;
      const { latest } = this;
      const job = JSON.stringify(latest.job);
      // The job may have been assigned to somebody else. Its new state must not reach a user who can no longer view it.
      if (job !== this.sentJob && this.sentJob !== '' && !(await this.mayView())) break;
      [this.sent, this.sentJob] = [text, job];
      if (!this.channel.message(String(latest.revision), latest)) await this.channel.drained();
    }
    this.isSending = false;
  }

  /** Ends the stream if the actor can no longer view the job. */
  private async mayView(): Promise<boolean> {
    try {
      await this.requireView();
      return true;
    } catch (error) {
      if (!(error instanceof Forbidden || error instanceof NotFound)) this.channel.break();
      else if (!this.channel.closed) {
        this.channel.message('0', NO_JOB);
        this.channel.end();
      }
      return false;
    }
  }
}
