import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { type ComparedFrame, compareFrame, type FrameResult } from '../../src/engines/quality/compare-frame.js';
import { JobFrames, type QualityLabel } from '../../src/engines/quality/frame-objects.js';
import { ReportLabels } from '../../src/engines/quality/labels.js';
import {
  type ComparisonReport,
  type FrameDocument,
  frameDocument,
  jobReport,
} from '../../src/engines/quality/report.js';
import type { ComparisonSettings } from '../../src/engines/quality/settings.js';
import type { LabeledData } from '../../src/shared/annotations/model.js';
import { datasetLabels, type RecordedData, type RecordedLabel, toData } from './recorded-datasets.js';

const folder = join(import.meta.dirname, '../../../shared/golden');

/** A block of tests that need the reports and merges recorded from CVAT 2.42; skipped if they are not on this machine. */
export function describeRecorded(title: string, body: () => void): void {
  if (existsSync(join(folder, 'quality'))) describe(title, body);
  else describe.skip(title, () => it.todo('needs the recorded reports'));
}

export const recordedJson = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));

/** The names of the jobs in recorded conflicts, by id. */
export type JobNames = ReadonlyMap<number, string>;

export const recordedLabels = (labels: readonly RecordedLabel[]): QualityLabel[] =>
  datasetLabels(withoutAttributes(labels));

const withoutAttributes = (labels: readonly Partial<RecordedLabel>[]): RecordedLabel[] =>
  labels.map((label) => ({
    name: '',
    attributes: [],
    ...label,
    sublabels: withoutAttributes(label.sublabels ?? []),
  }));

/** Annotations with ids: the position in the recorded list, from 1. */
export function recordedAnnotations(data: RecordedData, labels: readonly QualityLabel[]): LabeledData {
  const found = toData(data, labels as never);
  const number = (objects: { id: number | null }[], recorded: readonly { readonly frame: number }[] = []): void => {
    const order = recorded.map((_, at) => at).toSorted((a, b) => (recorded[a]?.frame ?? 0) - (recorded[b]?.frame ?? 0));
    objects.forEach((object, at) => (object.id = (order[at] ?? 0) + 1));
  };
  number(found.tags, data.tags);
  number(found.shapes, data.shapes);
  found.tracks.forEach((track, at) => (track.id = at + 1));
  return found;
}

export interface RecordedJob {
  readonly id: number;
  readonly start: number;
  readonly stop: number;
  readonly annotations: RecordedData;
}

/** Reports of jobs against the ground truth. @param pool the frame of the ground truth for a frame of a job */
export function reportsOf(options: {
  readonly labels: readonly QualityLabel[];
  readonly groundTruth: RecordedData;
  readonly jobs: readonly RecordedJob[];
  readonly settings: ComparisonSettings;
  readonly size: ComparedFrame['size'];
  readonly pool: ReadonlyMap<number, number>;
}): Map<number, ComparisonReport> {
  const { labels, settings, size } = options;
  const names = new ReportLabels(labels);
  const truth = new JobFrames(0, recordedAnnotations(options.groundTruth, labels), labels);
  return new Map(
    options.jobs.map(({ id, start, stop, annotations }) => {
      const own = new JobFrames(id, recordedAnnotations(annotations, labels), labels);
      const frames = new Map<number, FrameResult>();
      for (const [frame, inPool] of options.pool) {
        if (frame < start || frame > stop) continue;
        const compared = { frame, size, groundTruth: truth.at(inPool), annotations: own.at(frame) };
        frames.set(frame, compareFrame(compared, settings, names));
      }
      const report = jobReport({
        totalFrames: stop - start + 1,
        frames,
        labels: names.names,
        emptyIsAnnotated: settings.empty_is_annotated,
      });
      return [id, report];
    }),
  );
}

/** A conflict as recorded: `gt/shape/3` is the fourth shape of the ground truth. */
export function namedConflict(
  { frame_id: frame, type, severity, annotation_ids: ids }: FrameDocument['conflicts'][number],
  names: JobNames,
): object {
  return {
    frame,
    type,
    severity,
    annotations: ids.map((id) => `${names.get(id.job_id) ?? ''}/${id.type}/${id.obj_id - 1}`),
    shape_types: ids.map((id) => id.shape_type),
  };
}

/** A document in a form that can be compared: conflicts in alphabetical order, mean similarities with 6 decimals. */
export const comparableDocument = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document), (key, value: unknown) => {
    if (key === 'mean_iou') return value === null ? null : Math.round(Number(value) * 1e6) / 1e6;
    if (key !== 'conflicts' || !Array.isArray(value)) return value;
    return value.map((conflict) => JSON.stringify(conflict)).toSorted();
  });

/** The recorded parts of a report's document. */
export function documentOf(report: ComparisonReport, names: JobNames): object {
  const frames = [...report.frames].map(([frame, result]) => {
    const document = frameDocument(result, report.labels);
    return [frame, { ...document, conflicts: document.conflicts.map((conflict) => namedConflict(conflict, names)) }];
  });
  return { comparison_summary: report.summary, frame_results: Object.fromEntries(frames) };
}
