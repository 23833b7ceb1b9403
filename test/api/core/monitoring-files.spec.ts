import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { Backlogs } from '../../../src/core/metrics/backlogs.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const read = (...path: string[]): string =>
  readFileSync(join(import.meta.dirname, '..', '..', '..', 'deploy', ...path), 'utf8');

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly w: number };
  readonly targets?: readonly { readonly expr: string }[];
}

/** Every metric that an expression names, and the queues that it selects. */
const metricsIn = (text: string): string[] => text.match(/\b(?:cairn|nodejs|process)_[a-z0-9_]+\b/g) ?? [];
const queuesIn = (text: string): string[] => [...text.matchAll(/queue="([^"]+)"/g)].map(([, queue]) => queue ?? '');

describe('the dashboard and the alerts', () => {
  let app: TestApp;
  let known: Set<string>;
  let queues: string[];
  const dashboard = JSON.parse(read('grafana', 'cairn.json')) as { readonly panels: readonly Panel[] };
  const alerts = parse(read('prometheus', 'alerts.yaml')) as {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
  };
  const rules = alerts.groups.flatMap((group) => group.rules);
  const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

  beforeAll(async () => {
    app = await createTestApp({ env: { METRICS_ACCESS: 'all' } });
    const { text } = await app.http.get('/metrics').expect(200);
    known = new Set();
    for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      known.add(name);
      if (type === 'histogram') for (const part of ['bucket', 'count', 'sum']) known.add(`${name}_${part}`);
    }
    queues = [...(await app.app.get(Backlogs).read()).keys()];
  });
  afterAll(() => app.close());

  it.each([
    ['panels', () => queries],
    ['alerts', () => rules.map(({ expr }) => expr)],
    [
      'values of the chart',
      () => [read('helm', 'cairn', 'values.yaml'), read('helm', 'cairn', 'templates', 'workers.yaml')],
    ],
  ] as const)('%s use metrics and queues that exist', (_, expressions) => {
    const used = expressions().flatMap(metricsIn);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
    expect(
      expressions()
        .flatMap(queuesIn)
        .filter((queue) => !queue.startsWith('{{') && !queues.includes(queue)),
    ).toEqual([]);
  });

  it('show every metric of Cairn', () => {
    const shown = new Set([...queries, ...rules.map(({ expr }) => expr)].flatMap(metricsIn));
    const names = [...known].filter((name) => name.startsWith('cairn_') && !/_(bucket|count|sum)$/.test(name));
    const missing = names.filter((name) => ![name, `${name}_bucket`, `${name}_count`].some((one) => shown.has(one)));
    expect(missing).toEqual([]);
  });

  it('has panels with unique ids that fit the grid', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { type, gridPos } of panels) {
      expect(['row', 'stat', 'timeseries']).toContain(type);
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    }
  });

  it('documents each alert', () => {
    const guide = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'operations.md'), 'utf8');
    expect(rules.map(({ alert }) => alert).filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });
});
