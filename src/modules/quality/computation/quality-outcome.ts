import { type ComparisonSummary, reportSummary } from '../../../engines/quality/report.js';
import { type QualityOutcomeDto, RequestFailure, type RequestResult } from '../../requests/index.js';
import type { QualityReportSummaryDto } from '../reports/quality-report.dto.js';
import { BASE_REQUIREMENT } from '../requirements/quality-requirement.dto.js';
import type { QualitySettingsRow } from '../settings/quality-settings.dto.js';
import type { CheckedTask } from './checked-task.repository.js';

/** Whether the task can be compared: its ground truth is finished. */
export const isCheckable = ({ gt_finished: finished, dimension }: CheckedTask): boolean =>
  finished === true && dimension === '2d';

export const gone = (what: 'job' | 'task' | 'project'): RequestFailure => new RequestFailure(`The ${what} was deleted`);

type Target = Pick<QualitySettingsRow, 'target_metric' | 'target_metric_threshold'>;

/** The value of the target metric, and whether it reaches the threshold; null if no frame was compared. */
export function scoreOf(
  summary: QualityReportSummaryDto,
  { target_metric: metric, target_metric_threshold: threshold }: Target,
): { value: number | null; passed: boolean | null } {
  if (summary.frame_count === 0) return { value: null, passed: null };
  const value = summary[metric as 'accuracy' | 'precision' | 'recall'];
  return { value, passed: value >= threshold };
}

/** The summary of a report, with the score of the only requirement, the base. @param settings the ones that were used */
export function summaryWith(
  comparison: ComparisonSummary,
  settings: Target & Pick<QualitySettingsRow, 'id'>,
): QualityReportSummaryDto {
  const summary = reportSummary(comparison);
  const { value, passed } = scoreOf(summary, settings);
  const { valid_count, missing_count, extra_count } = comparison.annotations;
  return {
    ...summary,
    requirements: {
      total: 1,
      enabled: 1,
      completed: passed === true ? 1 : 0,
      not_computed: value === null ? 1 : 0,
      items: [
        {
          requirement_id: settings.id,
          name: BASE_REQUIREMENT,
          metric: settings.target_metric,
          score: value,
          score_components: { valid_count, missing_count, extra_count },
          calculation: value === null ? { status: 'not_computed', reason: 'no_annotations' } : { status: 'computed' },
          threshold: settings.target_metric_threshold,
        },
      ],
    },
  };
}

/** The result of the request, with what filters of webhooks need. */
export function finished(
  reportId: number,
  target: QualityOutcomeDto['target'],
  summary: QualityReportSummaryDto,
  settings: Target,
): RequestResult {
  const quality: QualityOutcomeDto = {
    report_id: reportId,
    target,
    target_metric: settings.target_metric,
    target_metric_threshold: settings.target_metric_threshold,
    ...scoreOf(summary, settings),
    summary,
  };
  return { resultId: reportId, quality };
}
