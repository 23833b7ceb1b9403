import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { QualityReport, QualitySettings } from '../../app/api';
import { formatNumber, formatShare } from '../../components/charts';
import { counted } from '../../components/counted';
import { Tiles } from '../../components/tiles';

export const METRICS = [
  { name: 'accuracy', title: 'Accuracy', text: 'matching objects among all objects of both sides' },
  { name: 'precision', title: 'Precision', text: 'matching objects among the annotations' },
  { name: 'recall', title: 'Recall', text: 'matching objects among the ground truth' },
] as const;

interface ReportSummaryProps {
  readonly report: QualityReport;
  /** Undefined while loading, null if the user cannot see them. */
  readonly settings: QualitySettings | null | undefined;
}

/** The most important numbers of a report. */
export function ReportSummary({ report: { summary }, settings }: ReportSummaryProps): ReactNode {
  return (
    <Tiles
      tiles={[
        ...METRICS.map(({ name, title, text }) => ({
          title,
          value: formatShare(summary[name]),
          text,
          more: settings?.target_metric === name && (
            <Target value={summary[name]} threshold={settings.target_metric_threshold} />
          ),
        })),
        {
          title: 'Conflicts',
          value: summary.conflict_count.toLocaleString('en'),
          text: `${counted(summary.error_count, 'error')}, ${counted(summary.warning_count, 'warning')}`,
        },
        {
          title: 'Compared frames',
          value: summary.frame_count.toLocaleString('en'),
          text: `${formatShare(summary.frame_share)} of ${counted(summary.total_frames, 'frame')}${jobsOf(summary)}`,
        },
        {
          title: 'Objects',
          value: formatNumber(summary.ds_count),
          text: `${formatNumber(summary.valid_count)} of them match, ${formatNumber(summary.gt_count)} in the ground truth`,
        },
      ]}
    />
  );
}

function jobsOf({ jobs }: QualityReport['summary']): string {
  if (jobs === undefined || jobs === null) return '';
  const { included, total, not_checkable: uncheckable } = jobs;
  const rest = uncheckable === 0 ? '' : `, ${uncheckable.toLocaleString('en')} without ground truth`;
  return `, in ${included.toLocaleString('en')} of ${counted(total, 'job')}${rest}`;
}

/** Whether a number reaches its target, in words and colour. */
function Target({ value, threshold }: { readonly value: number; readonly threshold: number }): ReactNode {
  const isReached = value >= threshold;
  return (
    <Badge className="status" px={6} variant="light" color={isReached ? 'teal' : 'red'} radius="sm" tt="none" mt={6}>
      {isReached ? 'reaches' : 'below'} the target of {formatShare(threshold)}
    </Badge>
  );
}
