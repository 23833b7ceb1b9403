import { expect, it } from '@jest/globals';
import {
  comparableDocument,
  describeRecorded,
  documentOf,
  namedConflict,
  recordedJson,
  recordedLabels,
  reportsOf,
} from '../../../test/support/recorded-quality.js';
import type { RecordedData, RecordedLabel } from '../../../test/support/recorded-datasets.js';
import type { FrameResult } from './compare-frame.js';
import { ReportLabels } from './labels.js';
import { type ComparisonReport, type ComparisonSummary, conflictsIn, reportSummary } from './report.js';
import { type ComparisonSettings, DEFAULT_COMPARISON, reportParameters } from './settings.js';
import { projectSummary, type TaskOfProject, taskReport } from './task-report.js';

interface KindsSetup {
  readonly task: { readonly labels: readonly RecordedLabel[] };
  readonly images: readonly unknown[];
  readonly gt_annotations: RecordedData;
  readonly jobs: readonly { readonly job: string; readonly start_frame: number; readonly stop_frame: number }[];
  readonly annotations: Readonly<Record<string, RecordedData>>;
}

/** The short form of a recorded report. */
interface Recorded {
  readonly summary: unknown;
  readonly jobs: Readonly<Record<string, unknown>>;
}

interface KindsDefault extends Recorded {
  readonly data: {
    readonly parameters: unknown;
    readonly comparison_summary: unknown;
    readonly frame_results: unknown;
  };
  readonly conflicts: unknown;
  readonly job_data: Readonly<Record<string, KindsDefault['data']>>;
}

type Numbers = readonly number[];

interface RecordedFrame {
  readonly valid: number;
  readonly missing: number;
  readonly extra: number;
  readonly total: number;
  readonly ds: number;
  readonly gt: number;
  readonly shape: Numbers;
  readonly mean_iou: number;
  readonly label: Numbers;
  readonly conflicts: readonly (readonly string[])[];
}

interface Run extends Recorded {
  readonly settings: Partial<ComparisonSettings> & { readonly job_filter?: string };
  readonly failed?: unknown;
  readonly job_frames: Readonly<Record<string, Readonly<Record<string, RecordedFrame>>>>;
  readonly matrix: unknown;
  readonly components: unknown;
}

const JOB_IDS = [101, 102];
const names = new Map([[0, 'gt'], ...JOB_IDS.map((id, index): [number, string] => [id, `job${index}`])]);

/** A frame in the short form of the recorded runs. */
const shortFrame = (result: FrameResult): RecordedFrame => {
  const { annotations, shape, label, conflicts } = result;
  return {
    ...annotations,
    shape: [shape.valid, shape.missing, shape.extra, shape.total, shape.ds, shape.gt],
    mean_iou: shape.meanIou,
    label: [label.valid, label.invalid, label.total],
    conflicts: conflicts.map(({ type, annotation_ids: ids }) => [
      type,
      ...ids.map((id) => `${names.get(id.job_id) ?? ''}/${id.type}/${id.obj_id - 1}`),
    ]),
  };
};

const shortJob = ({ frames }: ComparisonReport): object =>
  Object.fromEntries([...frames].map(([frame, result]) => [frame, shortFrame(result)]));

const withNames = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document), (key, value: unknown) => {
    if (!['all', 'excluded', 'not_checkable'].includes(key) || !Array.isArray(value)) return value;
    return value.map((id: number) => names.get(id) ?? id);
  });

const jobsOf = (setup: KindsSetup, ids: Numbers) =>
  setup.jobs
    .map(({ job, start_frame: start, stop_frame: stop }, index) => ({
      id: JOB_IDS[index] ?? 0,
      start,
      stop,
      annotations: setup.annotations[job] ?? {},
    }))
    .filter(({ id }) => ids.includes(id));

/** The jobs that the filters of the runs select. */
const selected = (filter = ''): readonly number[] => {
  if (filter.includes('completed')) return [];
  return filter.includes('$job0') ? JOB_IDS.slice(0, 1) : JOB_IDS;
};

describeRecorded('recorded reports: every type of annotation', () => {
  const setup = recordedJson('quality/kinds-setup.json') as KindsSetup;
  const labels = recordedLabels(setup.task.labels);

  const run = (changes: Run['settings']) => {
    const ids = selected(changes.job_filter);
    const reports = reportsOf({
      labels,
      jobs: jobsOf(setup, ids),
      groundTruth: setup.gt_annotations,
      settings: { ...DEFAULT_COMPARISON, ...changes },
      size: { width: 200, height: 150 },
      pool: new Map(setup.images.map((_, frame) => [frame, frame])),
    });
    return {
      reports,
      task: taskReport({
        jobs: JOB_IDS,
        reports,
        labels: new ReportLabels(labels).names,
      }),
    };
  };

  it('gives the documents of the task and its jobs', () => {
    const recorded = recordedJson('quality/kinds-default.json') as KindsDefault;
    const { reports, task } = run({});
    const pick = ({ comparison_summary, frame_results }: KindsDefault['data']) => ({
      comparison_summary,
      frame_results,
    });
    expect(comparableDocument(withNames(documentOf(task, names)))).toEqual(comparableDocument(pick(recorded.data)));
    const conflicts = [...conflictsIn(task)].map((conflict) => namedConflict(conflict, names));
    expect(comparableDocument({ conflicts })).toEqual(comparableDocument({ conflicts: recorded.conflicts }));
    const filter = '{"==": [{"var": "type"}, "annotation"]}';
    const used = { inherited: false, job_filter: filter };
    expect(reportParameters(DEFAULT_COMPARISON, used)).toEqual(recorded.data.parameters);
    for (const [id, report] of reports) {
      const expected = recorded.job_data[names.get(id) ?? ''] ?? recorded.data;
      expect(comparableDocument(documentOf(report, names))).toEqual(comparableDocument(pick(expected)));
    }
  });

  const runs = (recordedJson('quality/kinds-settings.json') as { runs: readonly Run[] }).runs;
  it.each(
    runs.filter(({ failed }) => failed === undefined).map((each) => [JSON.stringify(each.settings), each] as const),
  )('with %s', (_, recorded) => {
    const { reports, task } = run(recorded.settings);
    const frames = Object.fromEntries([...reports].map(([id, report]) => [names.get(id), shortJob(report)]));
    expect(comparableDocument(frames)).toEqual(comparableDocument(recorded.job_frames));
    expect(reportSummary(task.summary)).toEqual(recorded.summary);
    const summaries = [...reports].map(([id, { summary }]) => [names.get(id), reportSummary(summary)]);
    expect(Object.fromEntries(summaries)).toEqual(recorded.jobs);
    const { annotations, annotation_components: components } = task.summary;
    expect(annotations.confusion_matrix?.rows ?? null).toEqual(recorded.matrix);
    expect(components).toEqual(recorded.components);
  });
});

interface Honeypots extends KindsSetup {
  readonly validation_layout: LayoutOf;
  readonly result: KindsDefault;
  readonly result_with_disabled_frame: Run & { readonly disabled_frames: Numbers };
  readonly result_with_deleted_frame: Run & { readonly deleted_frames: Numbers };
}

interface LayoutOf {
  readonly honeypot_frames: Numbers;
  readonly honeypot_real_frames: Numbers;
}

describeRecorded('recorded reports: honeypots', () => {
  const setup = recordedJson('quality/honeypots.json') as Honeypots;
  const labels = recordedLabels(setup.task.labels);
  const { honeypot_frames: honeypots, honeypot_real_frames: real } = setup.validation_layout;

  const run = (leftOut: Numbers) => {
    const reports = reportsOf({
      labels,
      jobs: jobsOf(setup, JOB_IDS),
      groundTruth: setup.gt_annotations,
      settings: DEFAULT_COMPARISON,
      size: { width: 120, height: 100 },
      pool: new Map(
        honeypots.map((frame, at) => [frame, real[at] ?? 0] as const).filter(([, inPool]) => !leftOut.includes(inPool)),
      ),
    });
    return { reports, task: taskReport({ jobs: JOB_IDS, reports, labels: new ReportLabels(labels).names }) };
  };

  it('compares them with their frame in the pool', () => {
    const { task } = run([]);
    const { comparison_summary, frame_results } = setup.result.data;
    const document = comparableDocument(withNames(documentOf(task, names)));
    expect(document).toEqual(comparableDocument({ comparison_summary, frame_results }));
    expect(reportSummary(task.summary)).toEqual(setup.result.summary);
  });

  it.each([
    ['disabled', setup.result_with_disabled_frame, setup.result_with_disabled_frame.disabled_frames],
    ['deleted', setup.result_with_deleted_frame, setup.result_with_deleted_frame.deleted_frames],
  ] as const)('leaves out %s frames of the pool', (_, recorded, leftOut) => {
    const { reports, task } = run(leftOut);
    const frames = Object.fromEntries([...reports].map(([id, report]) => [names.get(id), shortJob(report)]));
    expect(comparableDocument(frames)).toEqual(comparableDocument(recorded.job_frames));
    expect(reportSummary(task.summary)).toEqual(recorded.summary);
    expect(task.summary.annotation_components).toEqual(recorded.components);
  });
});

interface ProjectRecord {
  readonly project: { readonly labels: readonly RecordedLabel[] };
  readonly project_settings: Partial<ComparisonSettings>;
  readonly tasks: readonly ProjectTask[];
  readonly result: KindsDefault & { readonly task_reports: Readonly<Record<string, unknown>> };
}

interface ProjectTask {
  readonly task: string;
  readonly images: readonly unknown[];
  readonly segment_size: number;
  readonly gt_frames: Numbers;
  readonly gt_finished: boolean;
  readonly jobs_stage: string;
  readonly settings: Partial<ComparisonSettings> & { readonly inherit?: boolean };
  readonly gt_annotations?: RecordedData;
  readonly annotations: Readonly<Record<string, RecordedData>>;
}

describeRecorded('recorded reports: a project', () => {
  const setup = recordedJson('quality/project.json') as ProjectRecord;
  const labels = recordedLabels(setup.project.labels);

  const reportOf = (task: ProjectTask, at: number): TaskOfProject => {
    if (!task.gt_finished) return { id: at, report: null };
    const inherited = task.settings.inherit ?? true;
    const settings = { ...DEFAULT_COMPARISON, ...setup.project_settings, ...task.settings };
    const size = task.segment_size || task.images.length;
    const ids = Object.keys(task.annotations).map((_, index) => 10 * at + index);
    const jobs = Object.values(task.annotations).map((annotations, index) => ({
      id: ids[index] ?? 0,
      start: index * size,
      stop: Math.min((index + 1) * size, task.images.length) - 1,
      annotations,
    }));
    const reports = reportsOf({
      labels,
      jobs: inherited && task.jobs_stage !== 'annotation' ? [] : jobs,
      groundTruth: task.gt_annotations ?? {},
      settings,
      size: { width: 100, height: 80 },
      pool: new Map(task.gt_frames.map((frame) => [frame, frame])),
    });
    const { summary } = taskReport({ jobs: ids, reports, labels: new ReportLabels(labels).names });
    return { id: at, report: { summary, inherited } };
  };

  it('extrapolates the numbers of its tasks', () => {
    const tasks = setup.tasks.map(reportOf);
    const summary = projectSummary(tasks);
    expect(reportSummary(summary)).toEqual(setup.result.summary);
    expect(summary).toMatchObject({
      tasks: { all: [0, 1, 2, 3, 4, 5], custom: [2], not_configured: [3, 4], excluded: [5] },
      jobs: { all: [0, 1, 10], excluded: [], not_checkable: [] },
    });
    const { annotations, annotation_components } = setup.result.data.comparison_summary as ComparisonSummary;
    expect(summary).toMatchObject({ annotations, annotation_components });
    for (const [name, recorded] of Object.entries(setup.result.task_reports)) {
      const report = tasks[Number(name.slice(1))]?.report;
      expect(report && reportSummary(report.summary)).toEqual(recorded);
    }
  });
});
