import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { QualityAnnotator, QualityReport, QualitySettings } from '../../app/api';
import { Chart, type DataColumn, DataSection, formatShare } from '../../components/charts';
import { useNames } from '../../components/names';
import { displayName } from '../../components/person';
import { formatDate } from '../../components/time-ago';
import { type ConfusionMatrix, isCompared, rowsByLabel, type Scores } from './report-data';
import { METRICS } from './report-summary';
import { useChildReports } from './target';

interface SectionProps {
  readonly settings: QualitySettings | null | undefined;
  readonly fileName: string;
}

/** A chart has room for this number of groups of bars. */
const MAX_BARS = 12;

const SCORES: readonly DataColumn<Scores>[] = METRICS.map(({ name, title }) => ({
  title,
  value: (row) => row[name],
  show: (row) => formatShare(row[name]),
}));

/** @returns columns of the scores for rows that contain them */
const scoresOf = <Row,>(read: (row: Row) => Scores): readonly DataColumn<Row>[] =>
  SCORES.map(({ title, value, show }) => ({
    title,
    value: (row: Row) => value(read(row)),
    show: (row: Row) => show?.(read(row)),
  }));

const targetOf = (settings: SectionProps['settings']) =>
  settings == null
    ? undefined
    : { title: `Target of ${settings.target_metric}`, value: settings.target_metric_threshold };

interface ScoreBarsProps {
  readonly by: string;
  readonly names: readonly string[];
  readonly scores: readonly Scores[];
  readonly settings: SectionProps['settings'];
}

/** The scores of the first rows as bars. */
function ScoreBars({ by, names, scores, settings }: ScoreBarsProps): ReactNode {
  const first = scores.slice(0, MAX_BARS);
  return (
    <>
      <Chart
        kind="bars"
        label={`Accuracy, precision and recall by ${by}. The table has the numbers.`}
        categories={names.slice(0, MAX_BARS)}
        series={METRICS.map(({ name, title }) => ({ title, values: first.map((row) => row[name]) }))}
        max={1}
        target={targetOf(settings)}
        format={formatShare}
      />
      {scores.length > MAX_BARS && (
        <Text size="xs" c="dimmed">
          The chart shows the first {MAX_BARS} rows of the table.
        </Text>
      )}
    </>
  );
}

export function ByLabel({ matrix, settings, fileName }: SectionProps & { readonly matrix: ConfusionMatrix | null }) {
  const rows = rowsByLabel(matrix);
  return (
    <DataSection
      title="By label"
      rows={rows}
      columns={[
        { title: 'Label', value: ({ label }) => label, isText: true },
        ...scoresOf<(typeof rows)[number]>((row) => row),
        { title: 'Annotations', value: ({ annotated }) => annotated },
        { title: 'Ground truth', value: ({ truth }) => truth },
        { title: 'Matches', value: ({ matched }) => matched },
      ]}
      keyOf={({ label }) => label}
      minWidth={620}
      fileName={fileName}
      chart={<ScoreBars by="label" names={rows.map(({ label }) => label)} scores={rows} settings={settings} />}
      empty="No objects were compared."
    />
  );
}

const JOB_COLUMNS: readonly DataColumn<QualityReport>[] = [
  {
    title: 'Job',
    value: ({ job_id: id }) => id,
    show: ({ job_id: id }) => (
      <Anchor underline="hover" size="sm" component={Link} to={`/jobs/${id}?mode=review`}>
        Job {id}
      </Anchor>
    ),
  },
  {
    title: 'Assignee',
    value: ({ assignee }) => (assignee == null ? null : displayName(assignee)),
    isText: true,
  },
  ...scoresOf<QualityReport>(({ summary }) => summary),
  { title: 'Frames', value: ({ summary }) => summary.frame_count },
  {
    title: 'Conflicts',
    value: ({ summary }) => summary.conflict_count,
    show: ({ job_id: id, summary: { conflict_count: count } }) => (
      <Anchor
        underline="hover"
        size="sm"
        component={Link}
        to={`?show=conflicts&job=${id}`}
        aria-label={`${count} conflicts of job ${id}`}
      >
        {count.toLocaleString('en')}
      </Anchor>
    ),
  },
];

const taskColumns = (nameOf: (report: QualityReport) => string): readonly DataColumn<QualityReport>[] => [
  {
    title: 'Task',
    value: nameOf,
    show: (row) => (
      <Anchor underline="hover" size="sm" component={Link} to={`/tasks/${row.task_id}/quality`}>
        {nameOf(row)}
      </Anchor>
    ),
    isText: true,
  },
  ...scoresOf<QualityReport>(({ summary }) => summary),
  { title: 'Frames', value: ({ summary }) => summary.frame_count },
  { title: 'Conflicts', value: ({ summary }) => summary.conflict_count },
];

const TREND_COLUMNS: readonly DataColumn<QualityReport>[] = [
  {
    title: 'Created',
    value: ({ created_date: date }) => date,
    show: ({ created_date: date }) => <time dateTime={date}>{formatDate(date)}</time>,
  },
  ...scoresOf<QualityReport>(({ summary }) => summary),
  { title: 'Frames', value: ({ summary }) => summary.frame_count },
  { title: 'Conflicts', value: ({ summary }) => summary.conflict_count },
];

const worstFirst = (reports: readonly QualityReport[]): QualityReport[] =>
  reports.filter(isCompared).toSorted((a, b) => a.summary.accuracy - b.summary.accuracy);

export function ByJob({ reports, settings, fileName }: SectionProps & { readonly reports: readonly QualityReport[] }) {
  const rows = worstFirst(reports);
  return (
    <DataSection
      title="By job"
      text="Jobs with ground truth frames, lowest accuracy first."
      rows={rows}
      columns={JOB_COLUMNS}
      keyOf={({ id }) => id}
      minWidth={720}
      fileName={fileName}
      chart={
        <ScoreBars
          by="job"
          names={rows.map(({ job_id: id }) => `Job ${id}`)}
          scores={rows.map(({ summary }) => summary)}
          settings={settings}
        />
      }
      empty="No job has frames of the ground truth."
    />
  );
}

const annotatorName = ({ annotator }: QualityAnnotator): string =>
  annotator === null ? 'Not known' : displayName(annotator);

const ANNOTATOR_COLUMNS: readonly DataColumn<QualityAnnotator>[] = [
  { title: 'Annotator', value: annotatorName, isText: true },
  ...scoresOf<QualityAnnotator>((row) => row),
  { title: 'Jobs', value: ({ job_count: jobs }) => jobs },
  { title: 'Frames', value: ({ frame_count: frames }) => frames },
  { title: 'Conflicts', value: ({ conflict_count: conflicts }) => conflicts },
];

export function ByAnnotator(props: SectionProps & { readonly rows: readonly QualityAnnotator[] }): ReactNode {
  const { rows, settings, fileName } = props;
  return (
    <DataSection
      title="By annotator"
      text="An annotation counts for who made it, and a missing one for who annotated the job."
      rows={rows}
      columns={ANNOTATOR_COLUMNS}
      keyOf={({ annotator }) => annotator?.id ?? 0}
      minWidth={640}
      fileName={fileName}
      chart={<ScoreBars by="annotator" names={rows.map(annotatorName)} scores={rows} settings={settings} />}
      empty="No job has frames of the ground truth."
    />
  );
}

/** The reports of the tasks in the report of a project. */
export function ByTask({ report, settings, fileName }: SectionProps & { readonly report: QualityReport }): ReactNode {
  const { data } = useChildReports(report, 'task');
  const rows = worstFirst(data ?? []);
  const names = useNames(
    'tasks',
    rows.map(({ task_id: id }) => id),
  );
  const nameOf = ({ task_id: id }: QualityReport): string => names.get(id ?? 0) ?? `Task ${id}`;
  return (
    <DataSection
      title="By task"
      text="Tasks that use the settings of the project, lowest accuracy first."
      rows={rows}
      columns={taskColumns(nameOf)}
      keyOf={({ id }) => id}
      minWidth={640}
      fileName={fileName}
      chart={
        <ScoreBars by="task" names={rows.map(nameOf)} scores={rows.map(({ summary }) => summary)} settings={settings} />
      }
      empty={data === undefined ? 'Loading …' : 'No task has a report that counts.'}
    />
  );
}

const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

export function Trend(props: SectionProps & { readonly reports: readonly QualityReport[] }): ReactNode {
  const { reports, settings, fileName } = props;
  const oldestFirst = reports.toReversed();
  return (
    <DataSection
      title="Trend"
      text="The latest reports, newest first."
      rows={reports}
      columns={TREND_COLUMNS}
      keyOf={({ id }) => id}
      minWidth={640}
      fileName={fileName}
      chart={
        reports.length > 1 && (
          <Chart
            kind="lines"
            label="Accuracy, precision and recall over the latest reports. The table has the numbers."
            categories={oldestFirst.map(({ created_date: date }) => day.format(new Date(date)))}
            series={METRICS.map(({ name, title }) => ({
              title,
              values: oldestFirst.map(({ summary }) => summary[name]),
            }))}
            max={1}
            target={targetOf(settings)}
            format={formatShare}
          />
        )
      }
      empty="No reports yet."
    />
  );
}
