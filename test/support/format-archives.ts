import { basename } from 'node:path';
import fc from 'fast-check';
import type { ExportFormat, ImportFormat, ImportTarget } from '../../src/engines/annotations/formats/format.js';
import { FormatError } from '../../src/engines/annotations/formats/format.js';
import { exportFormats, importFormats } from '../../src/engines/annotations/formats/registry.js';
import type { LabeledData } from '../../src/shared/annotations/model.js';
import { exportOptions, imported, MemoryFiles, sourceOf } from './datasets.js';
import { anyOf, KIND_NAMES, kindsDataset, kindsTarget } from './format-kinds.js';

/** A format that can be written and read. */
export interface ReadableExport {
  readonly name: string;
  readonly exporter: ExportFormat;
  readonly importer: ImportFormat;
}

export const readableExports: readonly ReadableExport[] = exportFormats.all.flatMap((exporter) => {
  const { name } = exporter.info;
  const importer = importFormats.find(name) ?? (name.startsWith('CVAT ') ? importFormats.find('CVAT 1.1') : undefined);
  return importer === undefined ? [] : [{ name, exporter, importer }];
});

/** An export, and the task that it fits. */
export interface Archive {
  readonly files: MemoryFiles;
  readonly target: ImportTarget;
}

const archives = new Map<string, Promise<Archive>>();

/** The largest export with objects of one kind that can be imported again. */
export function archiveOf(format: ReadableExport): Promise<Archive> {
  const known = archives.get(format.name) ?? largestArchive(format);
  archives.set(format.name, known);
  return known;
}

async function largestArchive(format: ReadableExport): Promise<Archive> {
  const { name, importer } = format;
  const is3d = importer.info.dimension === '3d';
  let largest: Archive | undefined;
  for (const kind of is3d ? (['cuboid'] as const) : KIND_NAMES) {
    const [data = {}] = fc.sample(anyOf(kind, name, is3d), { numRuns: 1, seed: 5 });
    const archive = await exportedKind(format, data);
    if (archive === undefined || sizeOf(archive) <= sizeOf(largest)) continue;
    const { tags, shapes, tracks } = await imported(importer, archive.files, archive.target);
    if (tags.length + shapes.length + tracks.length > 0) largest = archive;
  }
  if (largest === undefined) throw new Error(`${name} expresses nothing`);
  return largest;
}

/** @returns undefined if the format cannot express it */
async function exportedKind(
  { exporter, importer }: ReadableExport,
  data: Partial<LabeledData>,
): Promise<Archive | undefined> {
  const is3d = importer.info.dimension === '3d';
  const files = new MemoryFiles();
  try {
    const dataset = kindsDataset(is3d);
    const paths = await exporter.write(dataset, sourceOf(data), files, exportOptions());
    const frames = dataset.tasks
      .flatMap((task) => task.frames)
      .map((frame) => {
        const [path = frame.name] = paths?.(frame) ?? [];
        const isRenamed = basename(path) !== basename(frame.name);
        return isRenamed ? { ...frame, name: importer.imageAt(path)?.name ?? frame.name } : frame;
      });
    return { files, target: { ...kindsTarget(is3d, 'annotation'), frames } };
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

const sizeOf = (archive: Archive | undefined): number =>
  [...(archive?.files.files.values() ?? [])].reduce((sum, { length }) => sum + length, 0);
