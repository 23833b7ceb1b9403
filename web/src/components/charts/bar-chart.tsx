import { useElementSize } from '@mantine/hooks';
import { AxisBottom } from '@visx/axis';
import { GridColumns } from '@visx/grid';
import { scaleBand, scaleLinear } from '@visx/scale';
import { Bar } from '@visx/shape';
import type { ReactNode } from 'react';
import { barChartHeight, type ChartProps, maxOf, seriesColor } from './chart-data';
import classes from './charts.module.css';

const AXIS = 28;
const MAX_NAME = 190;
const LETTER = 7;

/** Horizontal bars, so that long names fit: a group for each category with a bar for each series. */
export function BarChart(props: ChartProps): ReactNode {
  const { label, categories, series, target, format } = props;
  const { ref, width } = useElementSize();
  const height = barChartHeight(categories.length, series.length);
  const names = Math.min(MAX_NAME, width / 3, 12 + LETTER * Math.max(...categories.map(({ length }) => length)));
  const bottom = height - AXIS;
  const x = scaleLinear({ domain: [0, maxOf(props)], range: [names, Math.max(names, width - 24)] });
  const rows = scaleBand({ domain: categories.map((_, at) => at), range: [0, bottom], padding: 0.2 });
  const bars = scaleBand({ domain: series.map((_, at) => at), range: [0, rows.bandwidth()], padding: 0.1 });
  return (
    <div ref={ref} style={{ height }}>
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={label}>
          <GridColumns scale={x} height={bottom} numTicks={5} className={classes['grid'] ?? ''} />
          {categories.map((name, at) => (
            <g key={at} transform={`translate(0, ${rows(at) ?? 0})`}>
              <text x={names - 8} y={rows.bandwidth() / 2} dy="0.35em" textAnchor="end">
                {shortened(name, (names - 8) / LETTER)}
              </text>
              {series.map(({ title, values }, which) => {
                const value = values[at] ?? null;
                return (
                  value !== null && (
                    <Bar
                      key={title}
                      x={names}
                      y={bars(which) ?? 0}
                      width={Math.max(1, x(value) - names)}
                      height={bars.bandwidth()}
                      rx={2}
                      fill={seriesColor(which)}
                    >
                      <title>{`${name}, ${title}: ${format(value)}`}</title>
                    </Bar>
                  )
                );
              })}
            </g>
          ))}
          {target !== undefined && (
            <line className={classes['target']} x1={x(target.value)} x2={x(target.value)} y1={0} y2={bottom} />
          )}
          <AxisBottom
            top={bottom}
            scale={x}
            numTicks={width > 500 ? 5 : 3}
            tickFormat={(value) => format(Number(value))}
            hideTicks
            stroke="var(--line-strong)"
          />
        </svg>
      )}
    </div>
  );
}

const shortened = (name: string, letters: number): string =>
  name.length <= letters ? name : `${name.slice(0, Math.max(1, Math.floor(letters) - 1))}…`;
