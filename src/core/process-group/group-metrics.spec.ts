import { describe, expect, it } from '@jest/globals';
import { GroupMetrics } from './group-metrics.js';
import type { Link } from './link.js';

const counter = (value: number) => ({
  name: 'requests_total',
  help: 'Requests',
  type: 'counter',
  aggregator: 'sum',
  values: [{ value, labels: {} }],
});
const startTime = (value: number) => ({
  name: 'process_start_time_seconds',
  help: 'Start',
  type: 'gauge',
  aggregator: 'omit',
  values: [{ value, labels: {} }],
});

/** A process that answers with these metrics. */
const memberWith = (...metrics: object[]): Link => ({ ask: () => Promise.resolve(metrics) }) as unknown as Link;

async function valueOf(group: GroupMetrics, name: string): Promise<number | undefined> {
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(await group.text())?.[1];
  return found === undefined ? undefined : Number(found);
}

describe('the metrics of a group', () => {
  it('are the sum of those of its processes', async () => {
    const group = new GroupMetrics();
    for (const count of [1, 2]) group.add(memberWith(counter(count)));
    expect(await valueOf(group, 'requests_total')).toBe(3);
  });

  it('include what processes have counted before they ended', async () => {
    const group = new GroupMetrics();
    const members = [1, 2, 4].map((count) => memberWith(counter(count)));
    for (const member of members) group.add(member);
    await group.text();
    for (const member of members.slice(1)) group.remove(member);
    expect(await valueOf(group, 'requests_total')).toBe(7);
  });

  it('are read once more before a process ends, if somebody reads them', async () => {
    const group = new GroupMetrics();
    let count = 1;
    const member = { ask: () => Promise.resolve([counter(count)]) } as unknown as Link;
    group.add(member);
    await group.text();
    count = 5;
    await group.beforeEnd(member);
    group.remove(member);
    expect(await valueOf(group, 'requests_total')).toBe(5);
  });

  it('show when a process was started', async () => {
    const group = new GroupMetrics();
    for (const time of [100, 200]) group.add(memberWith(startTime(time)));
    expect(await valueOf(group, 'process_start_time_seconds')).toBe(200);
  });
});
