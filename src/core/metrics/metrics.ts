import { Injectable } from '@nestjs/common';
import type { Request, RequestHandler } from 'express';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Db } from '../database/db.js';
import { groupLink } from '../process-group/membership.js';

/** The value of a gauge, or a value for each combination of labels. */
export type Reading = number | readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];

interface Named {
  /** Without the prefix `cairn_`. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

interface NamedGauge extends Named {
  /** All processes read the same value, as from the database. The values of other gauges are added up. */
  readonly isShared?: boolean;
}

/** A scrape waits longer than the parent process waits for a busy process. */
const GROUP_ANSWER_MS = 5_000;

/** Seconds, from a millisecond to minutes. */
const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/**
 * The metrics of this process, or of all processes with the same supervisor, in Prometheus's text format.
 * Code that counts something declares it here on start. Names begin with `cairn_`; times are in seconds, sizes in bytes.
 */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private collecting = false;
  /** Null if this process has no supervisor. */
  private readonly group =
    groupLink()?.answer('metrics of the process', () => this.collected().getMetricsAsJSON()) ?? null;

  get contentType(): string {
    return this.registry.contentType;
  }

  counter({ name, help, labels = [] }: Named): Counter {
    return new Counter({ name: `cairn_${name}`, help, labelNames: labels, registers: [this.registry] });
  }

  /** A histogram of seconds. */
  times({ name, help, labels = [] }: Named): Histogram {
    const options = { name: `cairn_${name}`, help, labelNames: labels, buckets: SECONDS };
    return new Histogram({ ...options, registers: [this.registry] });
  }

  /** Declares a gauge that is read on each scrape. An error omits it. */
  gauge({ name, help, labels = [], isShared = false }: NamedGauge, read: () => Reading | Promise<Reading>): void {
    const gauge = new Gauge({
      name: `cairn_${name}`,
      help,
      labelNames: labels,
      registers: [],
      aggregator: isShared ? 'max' : 'sum',
      async collect() {
        this.reset();
        try {
          const reading = await read();
          if (typeof reading === 'number') return this.set(reading);
          for (const { labels: of, value } of reading) this.set(of, value);
        } catch {
          this.remove(); // the database may be down: the process's own counters are still reported
        }
      },
    });
    this.registry.registerMetric(gauge);
  }

  /**
   * Answers the supervisor with counters and histograms only. Gauges of a process that comes and goes say little, and those
   * of the event loop would be averaged with those of the servers.
   */
  countOnly(): void {
    this.group?.answer('metrics of the process', () => this.counts());
  }

  /** All metrics, including those of the process (memory, event loop, …). */
  async text(): Promise<string> {
    const ofGroup = await this.group?.ask('metrics of the group', { timeoutMs: GROUP_ANSWER_MS });
    return typeof ofGroup === 'string' ? ofGroup : this.collected().metrics();
  }

  private counts(): Promise<object[]> {
    const metrics = this.registry.getMetricsAsArray() as unknown as readonly (Counter | Gauge | Histogram)[];
    const counted = metrics.filter((each) => !(each instanceof Gauge));
    return Promise.all(counted.map((each) => each.get()));
  }

  private collected(): Registry {
    if (!this.collecting) collectDefaultMetrics({ register: this.registry });
    this.collecting = true;
    return this.registry;
  }
}

/** Declares the metrics of the connection pool. */
@Injectable()
export class PoolMetrics {
  constructor(db: Db, metrics: Metrics) {
    metrics.gauge(
      {
        name: 'database_connections',
        help: 'Connections of the pool by state, and statements that wait for one',
        labels: ['state'],
      },
      () => Object.entries(db.connections()).map(([state, value]) => ({ labels: { state }, value })),
    );
  }
}

/** Middleware that counts requests by route and measures the time until their last byte. */
export function measureRequests(metrics: Metrics): RequestHandler {
  const times = metrics.times({
    name: 'http_request_duration_seconds',
    help: 'Duration of requests in seconds, by method, route and status of the response',
    labels: ['method', 'route', 'status'],
  });
  return (request, response, next) => {
    const start = performance.now();
    response.once('close', () => {
      // The client disconnected before the response; nginx's status for this.
      const status = response.writableFinished ? response.statusCode : 499;
      const labels = { method: methodOf(request), route: routeOf(request), status: String(status) };
      times.observe(labels, (performance.now() - start) / 1000);
    });
    next();
  };
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Clients can send arbitrary methods and paths, so the number of labels must stay small. */
const methodOf = ({ method }: Request): string => (METHODS.has(method) ? method : 'other');

/** The path of the route with its parameters; `none` for unknown paths. */
export function routeOf(request: Request): string {
  const { path } = (request.route ?? {}) as { readonly path?: unknown };
  return typeof path === 'string' ? path : 'none';
}
