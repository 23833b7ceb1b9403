import type { ActivityFigures } from '../../app/api';
import { formatNumber } from '../../components/charts';

const MS_PER_HOUR = 3_600_000;

/** What is counted for days and people. */
export const FIGURES = [
  {
    name: 'frames',
    title: 'Frames',
    text: 'with created or changed objects',
    of: ({ frames }: ActivityFigures): number | null => frames,
    format: formatNumber,
  },
  {
    name: 'objects',
    title: 'Objects',
    text: 'created',
    of: ({ objects }: ActivityFigures): number | null => objects,
    format: formatNumber,
  },
  {
    name: 'jobs',
    title: 'Completed jobs',
    text: 'each counts once',
    of: ({ jobs_completed: jobs }: ActivityFigures): number | null => jobs,
    format: formatNumber,
  },
  {
    name: 'hours',
    title: 'Working hours',
    text: 'on the job page, without breaks',
    of: ({ working_time: time }: ActivityFigures): number | null => Math.round((time / MS_PER_HOUR) * 100) / 100,
    format: (hours: number) => `${formatNumber(hours)} h`,
  },
  {
    name: 'frames-per-hour',
    title: 'Frames per hour',
    text: 'of working time',
    of: ({ frames_per_hour: rate }: ActivityFigures): number | null => rate,
    format: formatNumber,
  },
  {
    name: 'seconds-per-object',
    title: 'Time per object',
    text: 'working time for each created object',
    of: ({ seconds_per_object: seconds }: ActivityFigures): number | null => seconds,
    format: (seconds: number) => `${formatNumber(seconds)} s`,
  },
] as const;

export type FigureName = (typeof FIGURES)[number]['name'];
