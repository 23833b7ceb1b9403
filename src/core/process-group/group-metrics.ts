import type { MetricObjectWithValues, MetricValue, PrometheusContentType, Registry } from 'prom-client';
import type { Link } from './link.js';

/** The metrics of one process, with how each is combined with those of others. */
export type Snapshot = readonly MetricObjectWithValues<MetricValue<string>>[];

const ANSWER_MS = 2_000;

/**
 * The metrics of several processes as those of one. A process that does not answer counts with its last answer, and
 * counters keep what ended processes have counted, because they must never decrease.
 */
export class GroupMetrics {
  private readonly last = new Map<Link, Snapshot>();
  private ended: Snapshot = [];
  private isRead = false;
  private adding: Promise<void> = Promise.resolve();

  add(member: Link): void {
    this.last.set(member, []);
  }

  /** Reads the metrics of a process that is about to end. */
  async beforeEnd(member: Link): Promise<void> {
    if (this.isRead) await this.read(member);
  }

  remove(member: Link): void {
    const counted = (this.last.get(member) ?? []).filter(isCounted);
    this.last.delete(member);
    if (counted.length === 0) return;
    this.adding = this.adding.then(async () => {
      this.ended = await (await combined([this.ended, counted])).getMetricsAsJSON();
    });
  }

  /** In Prometheus's text format. */
  async text(): Promise<string> {
    this.isRead = true;
    await Promise.all([...this.last.keys()].map((member) => this.read(member)));
    await this.adding;
    return (await combined([...this.last.values(), this.ended])).metrics();
  }

  private async read(member: Link): Promise<void> {
    const answer = await member.ask('metrics of the process', { timeoutMs: ANSWER_MS });
    if (answer !== undefined && this.last.has(member)) this.last.set(member, answer as Snapshot);
  }
}

const isCounted = ({ type, aggregator }: Snapshot[number]): boolean =>
  ['counter', 'histogram'].includes(String(type)) && (aggregator ?? 'sum') === 'sum';

/** The library leaves out the time of the start, which shows restarts: it becomes that of the process started last. */
const kept = (metric: Snapshot[number]): Snapshot[number] =>
  metric.aggregator === 'omit' ? { ...metric, aggregator: 'max' } : metric;

/** The library is loaded when it is needed, since the supervisor should be small. */
async function combined(snapshots: readonly Snapshot[]): Promise<Registry<PrometheusContentType>> {
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate<PrometheusContentType>(snapshots.map((snapshot) => snapshot.map(kept)));
}
