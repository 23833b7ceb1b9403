import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { Metrics } from '../../metrics/metrics.js';
import { Throttled } from '../errors/errors.js';

const HEARTBEAT_MS = 15_000;
/**
 * After this time the client must reconnect and authenticate again. It does so automatically, with the id of its last
 * message.
 */
const MAX_DURATION_MS = 10 * 60_000;
const RETRY_MS = 2000;
const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/**
 * A response of Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html). It ends with the
 * connection, after ten minutes, or when the server stops.
 */
export class EventChannel {
  private ended = false;
  private readonly heartbeats: NodeJS.Timeout;
  private readonly timeout: NodeJS.Timeout;

  /** Starts the response. @param heartbeat called every 15 seconds, to keep the connection alive */
  constructor(
    private readonly response: Response,
    heartbeat: (channel: EventChannel) => void,
  ) {
    this.heartbeats = setInterval(() => heartbeat(this), HEARTBEAT_MS);
    this.timeout = setTimeout(() => this.end(), MAX_DURATION_MS);
    this.onClose(() => this.stop());
    response.writeHead(200, HEADERS);
    // Without a blank line: agents of CVAT take every blank line for an event.
    response.write(`retry: ${RETRY_MS}\n`);
    if (response.destroyed) this.stop();
    if (response.req.method === 'HEAD') this.end();
  }

  get closed(): boolean {
    return this.ended;
  }

  /** @returns false if the client is slow: wait for `drained` before the next message */
  message(id: string, data: object): boolean {
    return this.write(`id: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends an event with a name. @returns false if the client is slow */
  event(name: string, data: object): boolean {
    return this.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends a keep-alive. @param id the client's position, if it has moved without a message */
  heartbeat(id?: string): void {
    this.write(id === undefined ? ': still here\n' : `: still here\nid: ${id}\n\n`);
  }

  /** Resolves when the client has caught up or disconnected. */
  drained(): Promise<void> {
    if (this.ended) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.response.off('drain', done).off('close', done);
        resolve();
      };
      this.response.on('drain', done).on('close', done);
    });
  }

  onClose(listener: () => void): void {
    this.response.once('close', listener);
  }

  end(): void {
    this.stop();
    this.response.end();
  }

  /** Ends the response after an error; the client reconnects. */
  break(): void {
    this.stop();
    this.response.destroy();
  }

  private stop(): void {
    this.ended = true;
    clearInterval(this.heartbeats);
    clearTimeout(this.timeout);
  }

  private write(text: string): boolean {
    return this.ended || this.response.write(text);
  }
}

/** A limit for the streams of one user. */
export interface StreamQuota {
  readonly kind: string;
  readonly perUser: number;
}

/** The channels of this process, limited per account and in total. */
@Injectable()
export class EventChannels implements BeforeApplicationShutdown {
  private isStopping = false;
  private readonly open = new Map<EventChannel, string>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    metrics: Metrics,
  ) {
    metrics.gauge({ name: 'event_streams', help: 'Open event streams' }, () => this.open.size);
  }

  /**
   * Starts a response.
   * @param quota a limit of its own for one kind of streams. Default: `EVENT_STREAMS_PER_USER`
   * @throws Throttled above the limit
   */
  begin(
    actor: Actor,
    response: Response,
    heartbeat: (channel: EventChannel) => void = (channel) => channel.heartbeat(),
    quota: StreamQuota = { kind: '', perUser: this.config.eventStreams.perUser },
  ): EventChannel {
    const { total } = this.config.eventStreams;
    const holder = `${quota.kind} ${actor.id}`;
    const mine = [...this.open.values()].filter((other) => other === holder).length;
    if (mine >= quota.perUser || this.open.size >= total) throw new Throttled(RETRY_MS / 1000);
    const channel = new EventChannel(response, heartbeat);
    this.open.set(channel, holder);
    channel.onClose(() => this.open.delete(channel));
    if (this.isStopping) channel.end();
    if (channel.closed) this.open.delete(channel);
    return channel;
  }

  /** The server waits for open responses before it stops, so they end first. */
  beforeApplicationShutdown(): void {
    this.isStopping = true;
    for (const channel of this.open.keys()) channel.end();
  }
}
