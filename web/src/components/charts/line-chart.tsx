import { useElementSize } from '@mantine/hooks';
import { AxisBottom, AxisLeft } from '@visx/axis';
import { GridRows } from '@visx/grid';
import { scaleLinear, scalePoint } from '@visx/scale';
import { LinePath } from '@visx/shape';
import type { ReactNode } from 'react';
import { type ChartProps, LINE_CHART_HEIGHT, maxOf, seriesColor } from './chart-data';
import classes from './charts.module.css';

const LEFT = 52;
const RIGHT = 24;
const TOP = 10;
const BOTTOM = LINE_CHART_HEIGHT - 28;
const TICK_WIDTH = 90;
/** Series can be told apart without their colours. */
const DASHES = [undefined, '7 4', '2 3', '10 3 2 3'];

/** Lines over categories that have an order, such as days. Missing values interrupt a line. */
export function LineChart(props: ChartProps): ReactNode {
  const { label, categories, series, target, format } = props;
  const { ref, width } = useElementSize();
  const right = Math.max(LEFT, width - RIGHT);
  const x = scalePoint({ domain: categories.map((_, at) => at), range: [LEFT, right], padding: 0.2 });
  const y = scaleLinear({ domain: [0, maxOf(props)], range: [BOTTOM, TOP], nice: props.max === undefined });
  const every = Math.max(1, Math.ceil(categories.length / Math.max(1, Math.floor((right - LEFT) / TICK_WIDTH))));
  return (
    <div ref={ref} style={{ height: LINE_CHART_HEIGHT }}>
      {width > 0 && (
        <svg width={width} height={LINE_CHART_HEIGHT} role="img" aria-label={label}>
          <GridRows scale={y} left={LEFT} width={right - LEFT} numTicks={5} className={classes['grid'] ?? ''} />
          {series.map(({ title, values }, which) => (
            <g key={title}>
              <LinePath
                className={classes['line'] ?? ''}
                data={[...values.entries()]}
                defined={([, value]) => value !== null}
                x={([at]) => x(at) ?? 0}
                y={([, value]) => y(value ?? 0)}
                stroke={seriesColor(which)}
                strokeDasharray={DASHES[which]}
              />
              {values.map(
                (value, at) =>
                  value !== null && (
                    <circle key={at} cx={x(at)} cy={y(value)} r={3.5} fill={seriesColor(which)}>
                      <title>{`${categories[at] ?? ''}, ${title}: ${format(value)}`}</title>
                    </circle>
                  ),
              )}
            </g>
          ))}
          {target !== undefined && (
            <line className={classes['target']} x1={LEFT} x2={right} y1={y(target.value)} y2={y(target.value)} />
          )}
          <AxisLeft
            left={LEFT}
            scale={y}
            numTicks={5}
            tickFormat={(value) => format(Number(value))}
            hideTicks
            stroke="var(--line-strong)"
          />
          <AxisBottom
            top={BOTTOM}
            scale={x}
            tickValues={categories.map((_, at) => at).filter((at) => at % every === 0)}
            tickFormat={(at) => categories[at] ?? ''}
            hideTicks
            stroke="var(--line-strong)"
          />
        </svg>
      )}
    </div>
  );
}
