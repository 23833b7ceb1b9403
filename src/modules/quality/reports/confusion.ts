import type { Readable } from 'node:stream';
import { ApiProperty } from '@nestjs/swagger';
import { Injectable } from '@nestjs/common';
import { ApiError, Invalid } from '../../../core/http/errors/errors.js';
import { FRACTION } from '../../../core/http/body/fields.js';
import { csvLine } from '../../../shared/csv.js';
import type { Query } from '../../../core/list/page-request.js';
import type { MatrixDocument } from '../../../engines/quality/confusion-matrix.js';
import { documentStream } from '../../../engines/quality/document.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { idParameter } from '../quality-targets.js';
import { TARGET_METRICS } from '../settings/quality-settings.dto.js';
import type { QualityRequirementScoreDto } from './quality-report.dto.js';
import { QualityReportService } from './quality-report.service.js';

const SCORES = { type: 'array', items: FRACTION } as const;

export class ConfusionAxesDto {
  @ApiProperty({ enum: ['gt'], description: 'Columns: labels of the ground truth' }) cols!: string;
  @ApiProperty({ enum: ['ds'], description: 'Rows: labels of the annotations' }) rows!: string;
}

export class TargetMetricValuesDto {
  @ApiProperty({ ...FRACTION, nullable: true, description: 'Over all objects' }) micro!: number | null;
  @ApiProperty({ ...FRACTION, nullable: true, description: 'The mean of the labels' }) mean!: number | null;
  @ApiProperty({ ...FRACTION, nullable: true, description: 'The lowest of the labels' }) label!: number | null;
}

export class TargetMetricSummaryDto {
  @ApiProperty({ enum: TARGET_METRICS }) metric!: string;
  @ApiProperty({ enum: ['micro'], description: 'Which of the values is the score' }) aggregation!: string;
  @ApiProperty({ type: TargetMetricValuesDto }) values!: TargetMetricValuesDto;
  @ApiProperty({ type: [String], description: 'The labels with the lowest value' }) worst_labels!: string[];
}

/** The lists are as long as `labels`, whose last one is `unmatched`. */
export class ConfusionMatrixDto {
  @ApiProperty({ type: [String] }) labels!: readonly string[];
  @ApiProperty({ type: 'array', items: { type: 'array', items: { type: 'integer' } } }) rows!: number[][];
  @ApiProperty({ type: ConfusionAxesDto }) axes!: ConfusionAxesDto;
  @ApiProperty(SCORES) precision!: number[];
  @ApiProperty(SCORES) recall!: number[];
  @ApiProperty(SCORES) accuracy!: number[];
  @ApiProperty(SCORES) jaccard_index!: number[];
  @ApiProperty(SCORES) dice!: number[];
  @ApiProperty({ type: TargetMetricSummaryDto }) target_metric_summary!: TargetMetricSummaryDto;
}

export class RequirementConfusionDto {
  @ApiProperty({ type: Number, nullable: true }) requirement_id!: number | null;
  @ApiProperty() name!: string;
  @ApiProperty({ type: ConfusionMatrixDto }) confusion_matrix!: ConfusionMatrixDto;
}

/** A matrix of about a thousand labels. Larger ones take long to read and to write, for each requirement. */
const MAX_SUMMARY_BYTES = 2 ** 22;

/** Shows the confusion matrices of reports, by requirement, as CVAT 2.80 does. */
@Injectable()
export class ConfusionService {
  constructor(private readonly reports: QualityReportService) {}

  /** Empty for a report of a project without tasks, and for an imported report. */
  async list(actor: Actor, id: number): Promise<RequirementConfusionDto[]> {
    const row = await this.reports.document(actor, id);
    const document = JSON.parse(await limited(documentStream({ id }, row.document, { frames: false }))) as {
      readonly comparison_summary: { readonly annotations?: { readonly confusion_matrix: MatrixDocument | null } };
    };
    const matrix = document.comparison_summary.annotations?.confusion_matrix ?? null;
    const requirements = row.summary.requirements?.items ?? [];
    if (matrix === null) return [];
    return requirements.map((requirement) => ({
      requirement_id: requirement.requirement_id,
      name: requirement.name,
      confusion_matrix: toConfusionMatrix(matrix, requirement),
    }));
  }

  /** @throws Invalid, ApiError 404 */
  async matrix(actor: Actor, id: number, query: Query): Promise<ConfusionMatrixDto> {
    const all = await this.list(actor, id);
    const requirement = idParameter(query, 'requirement');
    if (requirement === undefined) throw new Invalid({ requirement: ['This field is required.'] });
    const found = all.find((each) => each.requirement_id === requirement);
    if (found === undefined)
      throw new ApiError(404, { detail: 'The report has no confusion matrix for this requirement.' });
    return found.confusion_matrix;
  }

  /** A line for each label of the annotations. */
  // oxlint-disable-next-line typescript/require-await -- a stream of lines, as `sendCsv` takes it
  async *csv({ labels, rows }: ConfusionMatrixDto): AsyncGenerator<string> {
    yield csvLine(['annotated as', ...labels]);
    for (const [at, counts] of rows.entries()) yield csvLine([labels[at] ?? '', ...counts]);
  }
}

/** @throws ApiError 400 */
async function limited(summary: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of summary as AsyncIterable<Buffer>) {
    bytes += piece.length;
    pieces.push(piece);
    if (bytes > MAX_SUMMARY_BYTES) throw new ApiError(400, { detail: TOO_MANY_LABELS });
  }
  return Buffer.concat(pieces).toString();
}

const TOO_MANY_LABELS =
  'The report has too many labels for this view of its confusion matrix. Download the report, which contains it.';

function toConfusionMatrix(matrix: MatrixDocument, { metric, score }: QualityRequirementScoreDto): ConfusionMatrixDto {
  const { labels, rows } = matrix;
  const sums = labels.map((_, at) => ({
    both: rows[at]?.[at] ?? 0,
    ofDs: (rows[at] ?? []).reduce((sum, count) => sum + count, 0),
    ofGt: rows.reduce((sum, row) => sum + (row[at] ?? 0), 0),
  }));
  const values = matrix[metric as (typeof TARGET_METRICS)[number]];
  const used = labels.flatMap((label, at) => {
    const { ofDs = 0, ofGt = 0 } = sums[at] ?? {};
    return at === labels.length - 1 || ofDs + ofGt === 0 ? [] : [{ label, value: values[at] ?? 0 }];
  });
  const lowest = used.reduce((least, { value }) => Math.min(least, value), Infinity);
  const isComputed = used.length > 0;
  return {
    labels,
    rows,
    axes: matrix.axes,
    precision: matrix.precision,
    recall: matrix.recall,
    accuracy: matrix.accuracy,
    jaccard_index: matrix.jaccard_index,
    dice: sums.map(({ both, ofDs, ofGt }) => (2 * both) / (ofDs + ofGt || 1)),
    target_metric_summary: {
      metric,
      aggregation: 'micro',
      values: {
        micro: score,
        mean: isComputed ? used.reduce((sum, { value }) => sum + value, 0) / used.length : null,
        label: isComputed ? lowest : null,
      },
      worst_labels: used.filter(({ value }) => value === lowest).map(({ label }) => label),
    },
  };
}
