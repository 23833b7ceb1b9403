// Compares annotations with a ground truth in a process of its own, with the engine of the server.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { resourceUsage } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { serveCalls } from '../child.mjs';
import { crowdedFrames } from '../crowded-frames.mjs';

const KILOBYTE = 1024;

const labelsOf = (plan) =>
  Array.from({ length: plan.labels }, (_, at) => ({
    id: at + 1,
    name: `label ${at}`,
    type: 'any',
    parentId: null,
    attributes: [],
  }));

/**
 * @param {{engine: string, plan: Parameters<typeof crowdedFrames>[0], panoptic?: boolean}} call `engine` is the folder
 *   of the built engine
 */
async function compare({ engine, plan, panoptic = true }) {
  const load = (file) => import(pathToFileURL(`${engine}/${file}.js`).href);
  const [{ compareFrame }, { JobFrames }, { ReportLabels }, { jobReport }, { DEFAULT_COMPARISON }] = await Promise.all(
    ['compare-frame', 'frame-objects', 'labels', 'report', 'settings'].map(load),
  );
  const labels = labelsOf(plan);
  const { groundTruth, annotations } = crowdedFrames(plan);
  globalThis.gc?.();
  const [memory, begin] = [process.memoryUsage().rss, process.cpuUsage()];
  const names = new ReportLabels(labels);
  const [gt, ds] = [groundTruth, annotations].map(
    (shapes, at) => new JobFrames(at, { tags: [], shapes, tracks: [] }, labels),
  );
  const settings = { ...DEFAULT_COMPARISON, panoptic_comparison: panoptic };
  const frames = new Map();
  for (let frame = 0; frame < plan.frames; frame += 1) {
    const compared = { frame, size: plan.size, groundTruth: gt.at(frame), annotations: ds.at(frame) };
    frames.set(frame, compareFrame(compared, settings, names));
  }
  const { summary } = jobReport({ totalFrames: plan.frames, frames, labels: names.names, emptyIsAnnotated: false });
  const { user, system } = process.cpuUsage(begin);
  const { valid_count: pairs, mean_iou: similarity } = summary.annotation_components.shape;
  return {
    seconds: (user + system) / 1e6,
    growth: Math.max(0, resourceUsage().maxRSS * KILOBYTE - memory),
    pairs,
    similarity,
  };
}

/**
 * The longest time, in seconds, for which the comparison and the document of its report keep the process from doing
 * anything else: in processor time, and as the delay of the event loop, which includes waiting for a processor.
 * @param {{engine: string, plan: Parameters<typeof crowdedFrames>[0]}} call
 */
async function stall({ engine, plan }) {
  const load = (file) => import(pathToFileURL(`${engine}/${file}.js`).href);
  const [
    { comparisonSteps },
    { JobFrames },
    { ReportLabels },
    { frameDocument },
    { DEFAULT_COMPARISON },
    { documentSteps },
    { finishWithPauses },
    { Turns },
  ] = await Promise.all(
    ['compare-frame', 'frame-objects', 'labels', 'report', 'settings', 'document', '../concurrency/steps', '../concurrency/turns'].map(load),
  ); // prettier-ignore
  const labels = labelsOf(plan);
  const { groundTruth, annotations } = crowdedFrames(plan);
  const names = new ReportLabels(labels);
  const [gt, ds] = [groundTruth, annotations].map(
    (shapes, at) => new JobFrames(at, { tags: [], shapes, tracks: [] }, labels),
  );
  const turns = new Turns(new AbortController().signal);
  let [begin, seconds] = [process.cpuUsage(), 0];
  const giveWay = () => {
    const pausing = turns.pause();
    if (pausing === undefined) return undefined;
    const { user, system } = process.cpuUsage(begin);
    seconds = Math.max(seconds, (user + system) / 1e6);
    return pausing.then(() => void (begin = process.cpuUsage()));
  };
  const delays = monitorEventLoopDelay({ resolution: 1 });
  globalThis.gc?.();
  await pause(20);
  delays.enable();
  await pause(20);
  begin = process.cpuUsage();
  for (let frame = 0; frame < plan.frames; frame += 1) {
    const compared = {
      frame,
      size: plan.size,
      groundTruth: await finishWithPauses(gt.steps(frame), giveWay),
      annotations: await finishWithPauses(ds.steps(frame), giveWay),
    };
    const result = await finishWithPauses(comparisonSteps(compared, DEFAULT_COMPARISON, names), giveWay);
    await finishWithPauses(documentSteps(frameDocument(result, names.names), 2), giveWay);
  }
  await pause(20);
  delays.disable();
  return { seconds, delay: delays.max / 1e9 };
}

serveCalls({ compare, stall });
