import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Notification } from 'pg';
import { sql } from '../../engines/sql/sql.js';
import { Db } from '../database/db.js';
import { ProcessConnection, type ProcessSession } from '../database/process-connection.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { Poller } from './poller.js';

/**
 * Kinds of pending work: events to relay or stream, deliveries to send, background requests to run or to cancel, people who
 * opened or left a job, requests for agents of functions and their ends, events to publish to a message broker.
 */
const TOPICS = ['events', 'deliveries', 'requests', 'presence', 'functions', 'event-sink'] as const;
export type Topic = (typeof TOPICS)[number];

/** The PostgreSQL channel that all processes use. A payload is a list of topics, or an echo request. */
const CHANNEL = 'cairn';
const ECHO = 'echo ';
/**
 * Notifications within this time are sent as one. PostgreSQL commits transactions that notify one at a time, so
 * notifications are sent after the transaction that causes them, in a statement of their own.
 */
const GATHER_MS = 20;
const CHECK_EVERY_MS = 5_000;
const ECHO_WITHIN_MS = 2_000;
/** Polling interval while notifications arrive. */
const SLOW_POLL_MS = 2_000;

/**
 * Wakes workers when there is work for them: workers of this process directly, workers of other processes with NOTIFY. A
 * notification is lost if its process dies right after the commit, or if a connection breaks. So workers also poll, at long
 * intervals while notifications arrive.
 */
@Injectable()
export class Notifier implements BeforeApplicationShutdown {
  private readonly signal = new EventEmitter();
  private readonly unsent = new Set<Topic>();
  private isSending = false;
  private readonly poller: Poller;
  private session: ProcessSession | undefined;
  private endUse: (() => void) | undefined;
  private echo: { readonly text: string; readonly heard: (isHeard: boolean) => void } | undefined;
  private isHearing = false;
  private hasWarned = false;
  private isStopping = false;

  constructor(
    private readonly db: Db,
    private readonly connection: ProcessConnection,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.poller = new Poller('notifications', CHECK_EVERY_MS, () => this.check(), log);
  }

  /** Whether notifications of other processes reach this one. */
  get isListening(): boolean {
    return this.isHearing;
  }

  /** The interval at which a worker polls. @param fastMs the interval while notifications do not arrive */
  pollMs(fastMs: number): number {
    return this.isHearing ? Math.max(fastMs, SLOW_POLL_MS) : fastMs;
  }

  /**
   * Wakes the workers of this topic in all processes. Call it after the commit. A process without a process connection,
   * such as a command, wakes only its own workers; those of other processes find the work when they poll.
   */
  notify(topic: Topic): void {
    this.signal.emit(topic);
    this.unsent.add(topic);
    if (!this.isSending) void this.send();
  }

  /**
   * Calls the listener after each notification, and whenever one may have been lost. After the first call, this process
   * listens to other processes. @returns a function that unsubscribes
   */
  listen(topic: Topic, listener: () => void): () => void {
    if (this.isStopping) return () => undefined; // of a request that began before the stop
    this.signal.on(topic, listener);
    this.endUse ??= this.connection.use();
    this.poller.start();
    return () => this.signal.off(topic, listener);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    const stopped = this.poller.stop();
    this.echo?.heard(false);
    await stopped;
    this.endUse?.();
  }

  private async send(): Promise<void> {
    this.isSending = true;
    while (this.unsent.size > 0) {
      const topics = [...this.unsent].join(' ');
      this.unsent.clear();
      await this.connection.current?.client
        .query({ name: 'notify', text: 'select pg_notify($1, $2)', values: [CHANNEL, topics] })
        .catch(() => undefined); // other processes find the work when they poll
      await pause(GATHER_MS, undefined, { ref: false });
    }
    this.isSending = false;
  }

  /**
   * Listens again if the connection has broken. Then sends itself an echo over another connection, to check that
   * notifications arrive: they do not if the connection has broken unnoticed.
   */
  private async check(): Promise<boolean> {
    const session = await this.connection.open();
    if (session !== this.session) await this.subscribe(session);
    const isHeard = await this.receivesEcho();
    if (!isHeard) await this.connection.check(session);
    if (!this.poller.isRunning) return false;
    if (!isHeard && !this.hasWarned) this.log.warn('notifications of the database do not arrive; polling instead');
    this.hasWarned = !isHeard;
    this.setListening(isHeard && !session.isLost);
    return session.isLost;
  }

  private async subscribe(session: ProcessSession): Promise<void> {
    const { client } = session;
    const lose = (): void => {
      if (this.session !== session) return;
      this.session = undefined;
      this.setListening(false);
      this.echo?.heard(false);
      this.poller.wake();
    };
    client
      .on('notification', (notification) => this.receive(notification, session))
      .on('end', lose)
      .on('error', lose);
    await client.query(`listen ${CHANNEL}`);
    this.session = session;
  }

  private async receivesEcho(): Promise<boolean> {
    const text = ECHO + randomUUID();
    const answered = new Promise<boolean>((resolve) => (this.echo = { text, heard: resolve }));
    await this.db.query(sql`select pg_notify(${CHANNEL}, ${text})`);
    const timer = setTimeout(() => this.echo?.heard(false), ECHO_WITHIN_MS);
    const isHeard = await answered;
    clearTimeout(timer);
    this.echo = undefined;
    return isHeard;
  }

  private receive({ processId, payload = '' }: Notification, { client }: ProcessSession): void {
    if (payload.startsWith(ECHO)) {
      if (payload === this.echo?.text) this.echo.heard(true);
      return;
    }
    if (processId === (client as unknown as { readonly processID: number }).processID) return; // its workers are awake
    const topics = payload.split(' ');
    for (const topic of TOPICS) if (topics.includes(topic)) this.signal.emit(topic);
  }

  /** Wakes all workers after a change: a notification may have been lost, and the polling interval is another one. */
  private setListening(isHearing: boolean): void {
    if (this.isHearing === isHearing) return;
    this.isHearing = isHearing;
    for (const topic of TOPICS) this.signal.emit(topic);
  }
}
