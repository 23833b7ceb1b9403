import { finishWithPauses } from '../../../engines/concurrency/steps.js';
import type { Turns } from '../../../engines/concurrency/turns.js';
import {
  conflictsIn,
  frameDocument,
  type ComparisonReport,
  type ComparisonSummary,
} from '../../../engines/quality/report.js';
import type { AuthorCounts } from '../../../engines/quality/attribution.js';
import type { Conflict } from '../../../engines/quality/compare-frame.js';
import type { ReportParameters } from '../../../engines/quality/settings.js';
import type { QualityReportSummaryDto } from '../reports/quality-report.dto.js';
import { documentSteps, documentText, DocumentWriter } from '../../../engines/quality/document.js';

/** What reports of a project need of a report of one of its tasks. */
export interface TaskComparison {
  readonly inherited: boolean;
  readonly summary: ComparisonSummary;
}

/** The counts of one author. Null: of annotations whose author is not known. */
export interface AnnotatorCounts extends AuthorCounts {
  readonly user_id: number | null;
}

/** A report before it is stored. */
export interface ComputedReport {
  /** Exactly one of the three is set. */
  readonly jobId: number | null;
  readonly taskId: number | null;
  readonly projectId: number | null;
  readonly assigneeId: number | null;
  readonly targetUpdated: string;
  readonly gtUpdated: string | null;
  readonly summary: QualityReportSummaryDto;
  /** Only of tasks. */
  readonly comparison: TaskComparison | null;
  /** Only of jobs: the counts of each author. */
  readonly annotators: readonly AnnotatorCounts[] | null;
  /** Compressed, see `DocumentWriter`. */
  readonly document: Buffer;
  /** Only of jobs. */
  readonly conflicts: readonly Conflict[];
}

/** The reports of a task and of its selected jobs. */
export interface ComputedTask {
  /** Null if only one job was compared. */
  readonly task: ComputedReport | null;
  readonly jobs: readonly ComputedReport[];
}

/** The compressed document of a report of a job or task. @param taskUrl where the app shows the task */
export async function reportDocument(
  report: ComparisonReport,
  parameters: ReportParameters,
  taskUrl: string,
  turns: Turns,
): Promise<Buffer> {
  const writer = new DocumentWriter();
  await writer.member('parameters', parameters);
  await writer.member('comparison_summary', report.summary);
  await writer.members('frame_results', '{}', frameTexts(report, taskUrl, turns));
  await writer.members('conflicts', '[]', conflictTexts(report, turns));
  return writer.end();
}

/** The compressed document of a report of a project. */
export async function projectDocument(summary: ComparisonSummary, parameters: ReportParameters): Promise<Buffer> {
  const writer = new DocumentWriter();
  await writer.member('parameters', parameters);
  await writer.member('comparison_summary', summary);
  await writer.member('conflicts', []);
  return writer.end();
}

async function* frameTexts(
  { frames, labels }: ComparisonReport,
  taskUrl: string,
  turns: Turns,
): AsyncGenerator<string> {
  for (const [frame, result] of frames) {
    const document = frameDocument(result, labels);
    const conflicts = document.conflicts.map((conflict) => withUrls(conflict, taskUrl));
    yield `"${frame}": ${await finishWithPauses(documentSteps({ ...document, conflicts }, 2), turns.pause)}`;
  }
}

async function* conflictTexts(report: ComparisonReport, turns: Turns): AsyncGenerator<string> {
  for (const conflict of conflictsIn(report)) {
    yield documentText(conflict, 2);
    await turns.take();
  }
}

const withUrls = (conflict: Conflict, taskUrl: string): object => ({
  ...conflict,
  annotation_ids: conflict.annotation_ids.map((annotation) => ({
    ...annotation,
    url: `${taskUrl}/jobs/${annotation.job_id}?frame=${conflict.frame_id}&type=${annotation.type}&serverID=${annotation.obj_id}`,
  })),
});
