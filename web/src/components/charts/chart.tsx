import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { barChartHeight, type ChartProps, LINE_CHART_HEIGHT } from './chart-data';
import classes from './charts.module.css';
import { Legend } from './legend';

/** The library of the charts is loaded with the first chart. */
const CHARTS: Readonly<Record<'bars' | 'lines', ComponentType<ChartProps>>> = {
  bars: lazy(async () => ({ default: (await import('./bar-chart')).BarChart })),
  lines: lazy(async () => ({ default: (await import('./line-chart')).LineChart })),
};

/** A chart with its legend. Its height is reserved while the library loads. */
export function Chart({ kind, ...props }: ChartProps & { readonly kind: 'bars' | 'lines' }): ReactNode {
  const Drawing = CHARTS[kind];
  const height = kind === 'lines' ? LINE_CHART_HEIGHT : barChartHeight(props.categories.length, props.series.length);
  return (
    <div className={classes['chart']}>
      <Legend series={props.series} target={props.target} />
      <Suspense fallback={<div style={{ height }} />}>
        <Drawing {...props} />
      </Suspense>
    </div>
  );
}
