import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { comparingFrame } from '../../src/engines/annotations/assignment.js';
import { completeData } from '../../src/engines/annotations/complete.js';
import { duplicateShapes } from '../../src/engines/annotations/duplicates.js';
import { LabelIndex } from '../../src/engines/annotations/labels.js';
import { mergeParts } from '../../src/engines/annotations/merge.js';
import { readChunks } from '../../src/engines/annotations/read-text.js';
import { splitSteps } from '../../src/engines/annotations/split.js';
import { TrackMerger } from '../../src/engines/annotations/track-merger.js';
import { finishWithPauses, type Steps } from '../../src/engines/concurrency/steps.js';
import { Turns } from '../../src/engines/concurrency/turns.js';
import { JobAgreement } from '../../src/engines/consensus/agreement.js';
import { ReplicaMerge } from '../../src/engines/consensus/merge.js';
import { comparisonSteps } from '../../src/engines/quality/compare-frame.js';
import { JobFrames } from '../../src/engines/quality/frame-objects.js';
import { ReportLabels } from '../../src/engines/quality/labels.js';
import { DEFAULT_COMPARISON } from '../../src/engines/quality/settings.js';
import { sublabelsOf } from '../../src/engines/quality/similarity.js';
import { TrackFrames } from '../../src/shared/annotations/interpolate.js';
import type { LabeledData } from '../../src/shared/annotations/model.js';
import { testLabels } from '../support/datasets.js';
import { extremeData, type Subject } from './annotations.js';
import type { Random } from './random.js';
import type { FuzzTarget } from './target.js';

const FRAMES = 3;
const JOB = { start: 0, stop: FRAMES - 1, overlap: FRAMES };
const labels = new LabelIndex(testLabels);

/** In turns, as requests do it. */
const paused = <T>(steps: Steps<T>): Promise<T> => finishWithPauses(steps, new Turns().pause);

interface Given {
  readonly subject: Subject;
  /** Of two or more jobs, replicas, or sides. */
  readonly parts: readonly LabeledData[];
}

type Use = (given: Given) => Promise<unknown>;

/** What compares or changes annotations that are saved. */
const uses: Readonly<Record<string, Use>> = {
  duplicates: async ({ subject, parts }) => {
    const finder = duplicateShapes({ is3d: subject.is3d });
    for (const { shapes } of parts) await paused(finder.admit(JOB, shapes));
  },
  'joined tracks': async ({ subject, parts }) => {
    const merger = new TrackMerger(subject.is3d, 'fail');
    for (const { tracks } of parts) await paused(merger.add(tracks, JOB));
  },
  'merged response': ({ subject, parts }) =>
    paused(
      mergeParts(
        parts.map((data) => ({ ...JOB, data })),
        { is3d: subject.is3d },
      ),
    ),
  split: async ({ parts }) => {
    const jobs = Array.from({ length: 5_000 }, (_, start) => ({ start, stop: start + 2 }));
    for (const data of parts) await paused(splitSteps(data, jobs, { action: 'create' }));
  },
  response: async ({ parts }) => {
    for (const data of parts) for (const _ of readChunks(completeData(data, labels), labels)) await yieldToEventLoop();
  },
  interpolation: async ({ parts }) => {
    for (const { tracks } of parts) {
      for (const track of tracks) {
        const frames = new TrackFrames(track);
        for (let frame = 0; frame < FRAMES; frame++) frames.at(frame);
        await yieldToEventLoop();
      }
    }
  },
  quality: async ({ subject, parts }) => {
    const [gt, ds] = parts.map((data, at) => framesOf(data, at));
    const names = new ReportLabels(testLabels.map((label) => ({ ...label })));
    for (let frame = 0; frame < FRAMES; frame++) {
      const [groundTruth, annotations] = [await paused(gt?.steps(frame) ?? none()), await paused(ds?.steps(frame) ?? none())]; // prettier-ignore
      const compared = { frame, size: subject, groundTruth, annotations };
      await paused(comparingFrame(frame, comparisonSteps(compared, DEFAULT_COMPARISON, names)));
    }
  },
  consensus: async ({ subject, parts }) => {
    const merge = new ReplicaMerge({ iou_threshold: 0.4, quorum: 0.5 }, parts.length, testLabels);
    const options = { iouThreshold: 0.4, sublabels: sublabelsOf(testLabels) };
    const agreement = new JobAgreement(1, parts.map((_, at) => String(at)), options); // prettier-ignore
    const replicas = parts.map((data, at) => framesOf(data, at));
    for (let frame = 0; frame < FRAMES; frame++) {
      const objects = [];
      for (const replica of replicas) objects.push(await paused(replica.steps(frame)));
      await paused(comparingFrame(frame, merge.frame({ frame, size: subject, replicas: objects })));
      await paused(comparingFrame(frame, agreement.add({ size: subject, replicas: objects })));
    }
    merge.tracks();
  },
};

// oxlint-disable-next-line require-yield -- no steps
function* none(): Steps<[]> {
  return [];
}

const framesOf = (data: LabeledData, job: number): JobFrames => new JobFrames(job, structuredClone(data), testLabels);

/** Reports and merges that requests do not wait for: a few seconds for each frame. */
const BACKGROUND: ReadonlySet<string> = new Set(['quality', 'consensus']);

export const geometryTargets: readonly FuzzTarget[] = Object.entries(uses).map(([name, use]) => ({
  name,
  ...(BACKGROUND.has(name) ? { seconds: 30 } : { inRequest: true }),
  make: (random) => {
    const given = givenBy(random);
    return {
      files: new Map(given.parts.map((data, at) => [`${at}.json`, Buffer.from(JSON.stringify(data))])),
      run: () => use(given),
    };
  },
}));

function givenBy(random: Random): Given {
  const [width, height] = random.pick([[640, 480], [4_000, 3_000], [20_000, 12_000], [60_000, 10]] as const); // prettier-ignore
  const subject = { is3d: random.chance(0.1), width, height, frames: random.pick([1, FRAMES]), labels: [1, 2] };
  const first = withIds(extremeData(subject, random));
  const others = Array.from({ length: 1 + random.below(2) }, () =>
    random.chance(0.6) ? moved(first, random) : withIds(extremeData(subject, random)),
  );
  return { subject, parts: [first, ...others] };
}

/** The same a little elsewhere, as another annotator draws it. */
function moved(data: LabeledData, random: Random): LabeledData {
  const copy = structuredClone(data);
  const by = random.pick([0, 0.001, 0.5, 3]);
  for (const { shapes } of [copy, ...copy.tracks])
    for (const { type, points } of shapes)
      if (type !== 'mask')
        for (let at = 0; at < points.length; at++) points[at] = (points[at] ?? 0) + by * random.next();
  return copy;
}

function withIds(data: LabeledData): LabeledData {
  let id = 0;
  for (const object of [...data.tags, ...data.shapes, ...data.tracks]) object.id = ++id;
  return data;
}
