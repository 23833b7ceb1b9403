import { expect, it } from '@jest/globals';
import { type RecordedData, recordedForm, type RecordedLabel } from '../../../test/support/recorded-datasets.js';
import {
  describeRecorded,
  recordedAnnotations,
  recordedJson,
  recordedLabels,
} from '../../../test/support/recorded-quality.js';
import { emptyData, type LabeledData } from '../../shared/annotations/model.js';
import { finish } from '../concurrency/steps.js';
import { JobFrames } from '../quality/frame-objects.js';
import { ReplicaMerge, type MergeSettings } from './merge.js';

interface Setup {
  readonly task: { readonly labels: readonly RecordedLabel[] };
  readonly jobs: readonly { readonly job: string; readonly start_frame: number; readonly stop_frame: number }[];
  readonly replicas: Readonly<Record<string, RecordedData>>;
}

interface Run {
  readonly note: string;
  readonly settings: MergeSettings;
  readonly replicas_not_new: Readonly<Record<string, readonly number[]>>;
  readonly request_status: string;
}

describeRecorded('recorded merges', () => {
  const setup = recordedJson('consensus/merge-setup.json') as Setup;
  const { runs } = recordedJson('consensus/merge-results.json') as { runs: readonly Run[] };
  const labels = recordedLabels(setup.task.labels);

  const merged = (
    sources: readonly RecordedData[],
    settings: MergeSettings,
    start: number,
    stop: number,
  ): LabeledData => {
    const merge = new ReplicaMerge(settings, sources.length, labels);
    const frames = sources.map((data, at) => new JobFrames(at + 1, recordedAnnotations(data, labels), labels));
    const result = emptyData();
    for (let frame = start; frame <= stop; frame++) {
      const found = finish(
        merge.frame({
          frame,
          size: { width: 200, height: 150 },
          replicas: frames.map((source) => source.at(frame)),
        }),
      );
      result.tags.push(...found.tags);
      result.shapes.push(...found.shapes);
    }
    return { ...result, tracks: merge.tracks() };
  };

  it.each(runs.filter(({ request_status: status }) => status === 'finished'))('$note', (run) => {
    for (const { job, start_frame: start, stop_frame: stop } of setup.jobs) {
      const chosen = run.replicas_not_new[job] ?? [];
      if (chosen.length === 0) continue;
      const sources = chosen.map((at) => setup.replicas[`${job}/replica${at}`] ?? {});
      const recorded = (run as unknown as Record<string, { annotations: RecordedData }>)[job]?.annotations ?? {};
      const found = merged(sources, run.settings, start, stop);
      expect(recordedForm(found, labels as never)).toEqual(recordedForm(recorded, labels as never));
    }
  });

  it('drops tags below the quorum, where CVAT fails', () => {
    const rectangle = { label: 'car', type: 'rectangle' as const, frame: 12, points: [10, 10, 40, 40] };
    const [tree, person] = [
      { label: 'tree', frame: 12 },
      { label: 'person', frame: 12 },
    ];
    const sources = [
      { tags: [tree], shapes: [rectangle] },
      { tags: [person], shapes: [rectangle] },
      { tags: [person] },
    ];
    const { tags, shapes } = merged(sources, { iou_threshold: 0.4, quorum: 0.5 }, 10, 13);
    const nameOf = (id: number): string | undefined => labels.find((label) => label.id === id)?.name;
    expect(tags.map(({ label_id: id }) => nameOf(id))).toEqual(['person']);
    expect(shapes.map(({ label_id: id }) => nameOf(id))).toEqual(['car']);
  });
});
