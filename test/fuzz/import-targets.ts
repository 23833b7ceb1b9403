import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import fc from 'fast-check';
import { ArchiveSample } from '../../src/engines/annotations/formats/archive-sample.js';
import type { Dataset } from '../../src/engines/annotations/formats/dataset.js';
import type { DatasetFiles, ExportFormat, ImportFormat } from '../../src/engines/annotations/formats/format.js';
import { ImportNotes } from '../../src/engines/annotations/formats/import-notes.js';
import { exportFormats, importFormats } from '../../src/engines/annotations/formats/registry.js';
import type { LabeledData } from '../../src/shared/annotations/model.js';
import { exportOptions, MemoryFiles, sourceOf } from '../support/datasets.js';
import { anyOf, KIND_NAMES, kindsDataset, kindsTarget } from '../support/format-kinds.js';
import { mutatedBytes } from './byte-mutations.js';
import type { Random } from './random.js';
import type { FuzzInput, FuzzTarget } from './target.js';
import { LARGEST, mutatedText } from './text-mutations.js';

/** The names of files that are not text. */
const BINARY = /\.(?:png|bmp|parquet)$/i;
/** In pixels: as large as an image may be. */
const LARGE = { width: 20_000, height: 5_000 };

type Archive = ReadonlyMap<string, Buffer>;

/** Files of an archive; reads pieces of the size that they have in archives. */
export class ArchivedFiles implements DatasetFiles {
  readonly paths: readonly string[];

  constructor(private readonly archive: Archive) {
    this.paths = [...archive.keys()];
  }

  async *read(path: string): AsyncGenerator<Uint8Array> {
    const content = this.archive.get(path) ?? Buffer.alloc(0);
    for (let at = 0; at < content.length; at += 2 ** 16) {
      await yieldToEventLoop(); // as files do
      yield content.subarray(at, at + 2 ** 16);
    }
  }
}

/** Every importer, with the archives that the exporter of the same format writes. */
export const importTargets: readonly FuzzTarget[] = importFormats.all.map((format) => {
  const is3d = format.info.dimension === '3d';
  const archives = new Map<boolean, Promise<Archive[]>>();
  return {
    name: `import ${format.info.name}`,
    async make(random) {
      const isLarge = random.chance(0.3);
      const known = archives.get(isLarge) ?? validArchives(format, is3d, isLarge);
      archives.set(isLarge, known);
      const archive = mutatedArchive(random.pick(await known), random);
      return inputOf(format, archive, datasetOf(is3d, isLarge), random);
    },
  };
});

function datasetOf(is3d: boolean, isLarge: boolean): Dataset {
  const dataset = kindsDataset(is3d);
  if (!isLarge) return dataset;
  const enlarged = (frames: Dataset['tasks'][number]['frames']) => frames.map((frame) => ({ ...frame, ...LARGE }));
  return { ...dataset, tasks: dataset.tasks.map((task) => ({ ...task, frames: enlarged(task.frames) })) };
}

/** One archive with annotations of every kind, and one for each kind. */
async function validArchives(format: ImportFormat, is3d: boolean, isLarge: boolean): Promise<Archive[]> {
  const { name } = format.info;
  const exporters = exportFormats.all.filter((each) => each.info.name === name || (name === 'CVAT 1.1' && each.info.name.startsWith('CVAT '))); // prettier-ignore
  const archives: Archive[] = [];
  const kinds = KIND_NAMES.filter((kind) => !is3d || ['tag', 'cuboid', 'track'].includes(kind));
  for (const exporter of exporters) {
    const all: Partial<LabeledData>[] = [];
    for (const kind of kinds) {
      const data = fc.sample(anyOf(kind, exporter.info.name, is3d), { numRuns: 1, seed: 1 })[0] ?? {};
      all.push(data);
      archives.push(...(await archiveOf(exporter, data, is3d, isLarge)));
    }
    archives.push(...(await archiveOf(exporter, joined(all), is3d, isLarge)));
  }
  return archives.filter((archive) => archive.size > 0);
}

const joined = (all: readonly Partial<LabeledData>[]): Partial<LabeledData> => ({
  tags: all.flatMap(({ tags = [] }) => tags),
  shapes: all.flatMap(({ shapes = [] }) => shapes).toSorted((a, b) => a.frame - b.frame),
  tracks: all.flatMap(({ tracks = [] }) => tracks),
});

async function archiveOf(
  exporter: ExportFormat,
  data: Partial<LabeledData>,
  is3d: boolean,
  isLarge: boolean,
): Promise<Archive[]> {
  const small = await written(exporter, data, datasetOf(is3d, false));
  const hasImages = [...small.keys()].some((path) => /\.(?:png|bmp)$/i.test(path));
  // Images as large as that take seconds to encode.
  return [isLarge && !hasImages ? await written(exporter, data, datasetOf(is3d, true)) : small];
}

async function written(exporter: ExportFormat, data: Partial<LabeledData>, dataset: Dataset): Promise<Archive> {
  const files = new MemoryFiles();
  try {
    await exporter.write(dataset, sourceOf(data), files, exportOptions());
  } catch (error) {
    if ((error as Error).name !== 'FormatError') throw error;
  }
  return files.files;
}

function mutatedArchive(archive: Archive, random: Random): Archive {
  const files = new Map(archive);
  const paths = [...files.keys()];
  for (let count = 1 + random.below(2); count > 0; count--) {
    const path = random.pick(paths);
    const content = files.get(path) ?? Buffer.alloc(0);
    if (random.chance(0.1)) copyFile(files, path, content, random);
    else if (random.chance(0.05)) moveFile(files, path, content, random);
    else if (BINARY.test(path)) files.set(path, mutatedBytes(content, random));
    else files.set(path, Buffer.from(mutatedText(content.toString(), random)));
  }
  return files;
}

/** Many files with the same content. */
function copyFile(files: Map<string, Buffer>, path: string, content: Buffer, random: Random): void {
  const count = Math.min(random.size(20_000), Math.floor(LARGEST / (content.length + 60)));
  for (let copy = 0; copy < count; copy++) files.set(path.replace(/(?=[^/]*$)/, `${copy}`), content);
}

function moveFile(files: Map<string, Buffer>, path: string, content: Buffer, random: Random): void {
  files.delete(path);
  const parts = path.split('/');
  const folder = random.pick(['a/', 'a/'.repeat(random.size(10_000)), '_'.repeat(random.size(30_000)), '']);
  files.set(folder + (random.chance(0.5) ? path : (parts.at(-1) ?? path)), content);
}

function inputOf(format: ImportFormat, archive: Archive, dataset: Dataset, random: Random): FuzzInput {
  const files = new ArchivedFiles(archive);
  const what = random.pick(['read', 'read', 'read', 'labels', 'subsets', 'recognize'] as const);
  const target = {
    ...kindsTarget(format.info.dimension === '3d', random.pick(['annotation', 'interpolation'])),
    labels: dataset.labels,
    frames: dataset.tasks[0]?.frames ?? [],
    masksToPolygons: random.chance(0.3),
    notes: new ImportNotes(random.chance(0.5)),
    ...(random.chance(0.2) && { subset: random.pick(['default', 'train']) }),
  };
  return {
    files: archive,
    run: async () => {
      if (what === 'labels') await format.labels?.(files);
      else if (what === 'recognize') await format.recognize?.(new ArchiveSample(files));
      else if (what === 'subsets') {
        await format.subsets?.(files);
        const imageAt = (await format.imagesIn?.(files)) ?? ((path) => format.imageAt(path));
        for (const path of files.paths) imageAt(path);
      } else for await (const _ of format.read(files, target));
    },
  };
}
