import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exportOptions, imported, MemoryFiles, sourceOf } from '../../../../test/support/datasets.js';
import { anyOf, KIND_NAMES, kindsDataset, kindsTarget, placedObjects } from '../../../../test/support/format-kinds.js';
import type { LabeledData } from '../../../shared/annotations/model.js';
import type { Dataset } from './dataset.js';
import { FormatError } from './format.js';
import { exportFormats, importFormats } from './registry.js';

/** Without Market-1501, which names images after attributes. */
const pairs = exportFormats.all.flatMap((exporter) => {
  const { name, dimension } = exporter.info;
  const importer = importFormats.find(name) ?? (name.startsWith('CVAT ') ? importFormats.find('CVAT 1.1') : undefined);
  return importer === undefined || name.startsWith('Market')
    ? []
    : [{ name, exporter, importer, is3d: dimension === '3d' }];
});

/** The test dataset with names that differ only in their extension. */
function sameStems(dataset: Dataset, is3d: boolean): Dataset {
  const extensions = is3d ? ['pcd', 'bin'] : ['jpg', 'jpeg', 'png', 'JPG', 'webp', 'bmp'];
  const tasks = dataset.tasks.map((task) => ({
    ...task,
    frames: task.frames.map((frame, at) => ({ ...frame, name: `a${at >= extensions.length ? at : ''}.${extensions[at % extensions.length]}` })), // prettier-ignore
  }));
  return { ...dataset, tasks };
}

/** The frames that annotations are on, before and after a round trip; the same if the export is refused or has none. */
async function framesOf(
  { name, exporter, importer, is3d }: (typeof pairs)[number],
  data: Partial<LabeledData>,
): Promise<[before: number[], after: number[]]> {
  const dataset = sameStems(kindsDataset(is3d), is3d);
  const files = new MemoryFiles();
  const before = onFrames(data);
  try {
    await exporter.write(dataset, sourceOf(data), files, exportOptions());
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    expect([name, error.message]).toEqual([name, expect.stringMatching(/'a\.jpg'.*'a\.jpeg'|several images/)]);
    return [before, before];
  }
  const [{ frames } = { frames: [] }] = dataset.tasks;
  const back = await imported(importer, files, { ...kindsTarget(is3d, 'annotation'), labels: dataset.labels, frames });
  const after = onFrames(back);
  return [before, after.length === 0 ? before : after];
}

const onFrames = (data: Partial<LabeledData>): number[] =>
  [...new Set(placedObjects(data).map(({ frame }) => frame))].toSorted((a, b) => a - b);

describe('images whose names differ only in their extension', () => {
  it.each(pairs)('keep their annotations in $name, or its export names the images', async (pair) => {
    const kinds = KIND_NAMES.filter((kind) => kind !== 'track');
    const samples = kinds.flatMap((kind) => fc.sample(anyOf(kind, pair.name, pair.is3d), { numRuns: 2, seed: 1 }));
    const frames: [number[], number[]][] = [];
    for (const data of samples) frames.push(await framesOf(pair, data));
    expect(frames.map(([, after]) => after)).toEqual(frames.map(([before]) => before));
  });
});

describe('images of different tasks whose names differ only in their extension', () => {
  it('get different names in formats that have no extensions', async () => {
    const { tasks, ...rest } = kindsDataset(false);
    const [task] = tasks;
    if (task === undefined) throw new Error('There is no task');
    const named = (name: string) => ({ ...task, frames: task.frames.slice(0, 1).map((frame) => ({ ...frame, name })) });
    const files = new MemoryFiles();
    const dataset: Dataset = { ...rest, kind: 'project', tasks: [named('a.jpg'), named('a.png')] };
    await exportFormats.find('PASCAL VOC 1.1')?.write(dataset, sourceOf({}), files, exportOptions());
    expect(files.text('ImageSets/Main/default.txt')).toBe('a\na_1\n');
  });
});
