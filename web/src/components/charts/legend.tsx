import type { ReactNode } from 'react';
import { type ChartProps, seriesColor } from './chart-data';
import classes from './charts.module.css';

/** The names of the series. Screen readers get them with the table. */
export function Legend({ series, target }: Pick<ChartProps, 'series' | 'target'>): ReactNode {
  return (
    <ul className={classes['legend']} aria-hidden="true">
      {series.map(({ title }, at) => (
        <li key={title}>
          <span className={classes['swatch']} style={{ background: seriesColor(at) }} />
          {title}
        </li>
      ))}
      {target !== undefined && (
        <li>
          <span className={classes['swatch']} data-target="" />
          {target.title}
        </li>
      )}
    </ul>
  );
}
