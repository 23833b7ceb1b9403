/** A series of a chart. Missing values are null. */
export interface Series {
  readonly title: string;
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  /** Accessible name: what the chart shows. */
  readonly label: string;
  /** Names of the positions on the axis of categories, one for each value of a series. */
  readonly categories: readonly string[];
  /** At most four. */
  readonly series: readonly Series[];
  /** Upper end of the axis of values; undefined: the largest value. */
  readonly max?: number;
  /** A line at this value. */
  readonly target?: { readonly title: string; readonly value: number } | undefined;
  readonly format: (value: number) => string;
}

export const seriesColor = (at: number): string => `var(--series-${at + 1})`;

/** @returns the upper end of the axis of values, above zero also if there are no values */
export function maxOf({ max, series, target }: Pick<ChartProps, 'max' | 'series' | 'target'>): number {
  if (max !== undefined) return max;
  const values = series.flatMap((each) => each.values).filter((value) => value !== null);
  return Math.max(...values, target?.value ?? 0) || 1;
}

/** A share as a percentage with one decimal at most. */
export const formatShare = (share: number): string =>
  share.toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 });

export const formatNumber = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

const ROW = 12;
const GAP = 14;
const AXIS = 28;

/** Heights are known before the chart is loaded, so that nothing moves. */
export const barChartHeight = (categories: number, series: number): number => categories * (series * ROW + GAP) + AXIS;
export const LINE_CHART_HEIGHT = 240;
