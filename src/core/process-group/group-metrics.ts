import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type PrometheusContentType,
  type Registry,
} from 'prom-client';
import type { Questions } from './questions.js';

/** The metrics of one process, with how each is combined with those of others. */
export type Snapshot = readonly MetricObjectWithValues<MetricValue<string>>[];

const ANSWER_MS = 2_000;

/**
 * The metrics of several processes as those of one. A process that does not answer counts with its last answer, and
 * counters keep what ended processes have counted, because they must never decrease.
 */
export class GroupMetrics {
  private readonly last = new Map<Questions, Snapshot>();
  private ended: Snapshot = [];

  add(member: Questions): void {
    this.last.set(member, []);
  }

  async remove(member: Questions): Promise<void> {
    const counted = (this.last.get(member) ?? []).filter(isCounted);
    this.last.delete(member);
    this.ended = await combined([this.ended, counted]).getMetricsAsJSON();
  }

  /** In Prometheus's text format. */
  async text(): Promise<string> {
    await Promise.all([...this.last.keys()].map((member) => this.read(member)));
    return combined([...this.last.values(), this.ended]).metrics();
  }

  private async read(member: Questions): Promise<void> {
    const answer = await member.ask('metrics of the process', ANSWER_MS);
    if (answer !== undefined && this.last.has(member)) this.last.set(member, answer as Snapshot);
  }
}

const isCounted = ({ type, aggregator }: Snapshot[number]): boolean =>
  ['counter', 'histogram'].includes(String(type)) && (aggregator ?? 'sum') === 'sum';

const combined = (snapshots: readonly Snapshot[]): Registry<PrometheusContentType> =>
  AggregatorRegistry.aggregate<PrometheusContentType>([...snapshots]);
